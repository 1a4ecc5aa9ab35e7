"""Each part is judged with minigrad's own definitions in the place of the others: how they get there, and go.

This file's text is sent to the learner's process, like `probe.py`'s, so it stands alone but for minigrad.
"""

import contextlib
import importlib
import sys
from collections.abc import Iterator
from typing import Any

from minigrad.workshop import places, using


@contextlib.contextmanager
def lending(texts: dict[str, str], later: list[str], chapter: int) -> Iterator[None]:
    """Run the block with some parts lent, and without those that come later in the chapter.

    Args:
        texts: part → the source of minigrad's own definition.
        later: parts that are not there yet when the one that is asked is written.
        chapter: the chapter of all of them.
    """
    lent = {name: defined(name, text) for name, text in texts.items()}
    absent = {name: places.as_of(places.find(name), chapter, finished=False) for name in later}
    with using(**lent, **absent), replaced(vars(sys.modules["__main__"]), lent):
        yield


@contextlib.contextmanager
def replaced(names: dict[str, Any], others: dict[str, Any]) -> Iterator[None]:
    """Run the block with other definitions among the notebook's names, by which the learner's code may call them."""
    own = {name: names[name] for name in others if name in names}
    names.update({name: others[name] for name in own})
    try:
        yield
    finally:
        names.update(own)


def defined(name: str, text: str) -> Any:
    """The definition that the text makes, among the names of the module that holds the part."""
    part = places.find(name)
    module = vars(importlib.import_module(part.module))
    made: dict[str, Any] = {}  # so that nothing of the module is replaced; it is what the definition has as globals
    exec(compile(f"from __future__ import annotations\n{text}", f"<minigrad's {name}>", "exec"), module, made)
    return made[part.qualname.rsplit(".", 1)[-1]]
