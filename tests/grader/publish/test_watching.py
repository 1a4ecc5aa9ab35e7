"""Whoever builds the book hears how far it is."""

from types import SimpleNamespace

from grader.publish.book.watching import watch, watched


def test_each_page_is_read_and_written_and_the_last_one_ends_it():
    connected, heard = {}, []
    app = SimpleNamespace(connect=connected.__setitem__, project=SimpleNamespace(docnames={"index", "engine/nn"}))
    watch(app)
    with watched(lambda *told: heard.append(told)):
        for event in ("source-read", "html-page-context"):
            for page in ("index", "engine/nn"):
                connected[event](app, page, ["its text"])
        connected["html-page-context"](app, "search", "a page that has no source")
    connected["source-read"](app, "index", ["nobody listens"])
    assert heard == [
        ("reading index", 0.25),
        ("reading nn", 0.5),
        ("writing index", 0.75),
        ("writing nn", 1),
        ("writing search", 1),
    ]
