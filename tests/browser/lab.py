"""A notebook in JupyterLab, used as a learner uses it: menus, cells, keys."""

import time

# Cells that are out of sight are not drawn: a cell is brought to view by its number, as scrolling would.
SHOW = """async number => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    notebook.activeCellIndex = number;
    await notebook.scrollToItem(number, 'center');
}"""
SOURCES = """() => window.jupyterapp.shell.currentWidget.content.widgets.map(
    cell => [cell.model.getMetadata('nbgrader')?.grade_id ?? '', cell.model.sharedModel.source])"""
IDLE = """() => {
    const panel = window.jupyterapp?.shell.currentWidget;
    const kernel = panel?.sessionContext?.session?.kernel;
    const cells = panel?.content?.widgets ?? [];
    return kernel?.connectionStatus === 'connected' && kernel.status === 'idle' && cells.length > 1
        && cells.every(cell => cell.model.executionState !== 'running');
}"""


class Notebook:
    """One open notebook; `began` is when it was opened, in an empty JupyterLab."""

    def __init__(self, page, address, path):
        self.page = page
        page.goto(address("lab") + "&reset")  # without what was open before
        page.wait_for_function("() => window.jupyterapp?.shell.currentWidget")
        self.began = time.monotonic()
        page.evaluate("path => { window.jupyterapp.commands.execute('docmanager:open', {path}); }", path)
        self.wait_until_idle()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        """Shut the kernel down: ten of them would fill the memory."""
        self.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")

    def wait_until_idle(self):
        self.page.wait_for_function(IDLE, timeout=120_000, polling=100)  # by default it asks with each picture drawn

    def number(self, grade_id="", source=""):
        """The number of the cell that has the name or the source."""
        cells = self.page.evaluate(SOURCES)
        return next(n for n, cell in enumerate(cells) if grade_id == cell[0] != "" or source == cell[1] != "")

    def theme(self, name):
        """Settings > Theme."""
        self.page.evaluate("name => window.jupyterapp.commands.execute('apputils:change-theme', {theme: name})", name)
        light = "true" if "Light" in name else "false"
        self.page.wait_for_function(f"() => document.body.dataset.jpThemeLight === '{light}'")
        self.page.wait_for_timeout(500)  # its style sheet arrives

    def cell(self, number):
        """The cell, brought to view."""
        self.page.evaluate(SHOW, number)
        cell = self.page.locator(f".jp-Cell[data-windowed-list-index='{number}']")
        cell.wait_for()
        return cell

    def run_all(self):
        """Run > Run All Cells; it stops at the first cell that raises an error."""
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        self.wait_until_idle()

    def type(self, number, text):
        """Replace a cell's text, run it, and return what it shows."""
        self.write(number, text)
        return self.run(number)

    def write(self, number, text):
        """Replace a cell's text; on a busy machine, the editor may take a while to listen."""
        editor = self.cell(number).locator(".cm-content")
        for _ in range(3):
            editor.click()
            self.cell(number).locator(".cm-editor.cm-focused").wait_for()
            self.page.keyboard.press("Control+A")
            self.page.keyboard.insert_text(text)
            self.page.wait_for_timeout(100)
            shown = [line.strip() for line in editor.inner_text().splitlines() if line.strip()]
            if shown == [line.strip() for line in text.splitlines() if line.strip()]:
                return

    def run(self, number):
        """Run a cell and return what it shows."""
        self.cell(number).locator(".cm-content").click()
        self.page.keyboard.press("Shift+Enter")
        self.wait_until_idle()
        return self.output(number)

    def output(self, number):
        """The text below a cell; "" if there is none."""
        return "\n".join(self.cell(number).locator(".jp-OutputArea-output").all_inner_texts())

    def validate(self):
        """Press nbgrader's Validate; returns what its dialogue says, and closes it."""
        self.page.get_by_text("Validate", exact=True).first.click()
        dialogue = self.page.locator(".jp-Dialog-content")
        dialogue.wait_for(timeout=180_000)
        text = dialogue.inner_text()
        dialogue.get_by_role("button").last.click()
        dialogue.wait_for(state="detached")
        return text
