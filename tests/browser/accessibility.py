"""What axe-core finds on a page: in words, to be compared with nothing found."""

from axe_playwright_python.sync_playwright import Axe

# Best practices that the project promises, though axe-core calls them moderate or minor.
PROMISED = ("heading-order", "empty-heading", "empty-table-header", "image-redundant-alt")


def findings(page, context=None, skip=()):
    """The serious and the critical findings, and those that the project promises not to have.

    Args:
        page: Playwright's page.
        context: the part of it that is looked at, as axe-core takes it; everything by default.
        skip: rules that are left out.
    """
    rules = {name: {"enabled": False} for name in skip}
    found = Axe().run(page, context, options={"rules": rules, "resultTypes": ["violations"]}).response["violations"]
    return [
        f"{one['id']} ({one['impact']}): {one['help']}: {node['html'][:200]}"
        for one in found
        if one["impact"] in ("serious", "critical") or one["id"] in PROMISED
        for node in one["nodes"]
    ]
