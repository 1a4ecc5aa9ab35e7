"""What the finished engine can do, before a learner has written a line: it learns to read digits, and to finish a sum.

Everything runs on the engine that it is given, minigrad or PyTorch, and shows itself while it goes: short lines, that
a narrow screen need not break, and images that stand below each other there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from ..verdict.assess import prepare, pytorch
from .draw.figure import image
from .here import shell

NUMBERS = ["zero", "one", "two", "three", "four", "five", "six"]
WORDS = [*NUMBERS, "plus", "is"]
PLUS, IS = 7, 8
SEEN = 1400  # images that it learns from; the other 397 are new to it
SIDE = 8  # dots of an image, in a row


@dataclass(frozen=True)
class Digits:
    """Images, each with the digit that it was read as: a notebook shows them, `print` says what was read.

    Attributes:
        images: of shape (images, 64), from 0, white, to 1, black.
        read: the digits.
    """

    images: np.ndarray
    read: tuple[int, ...]

    def __str__(self) -> str:
        return f"It reads {len(self.read)} images as {', '.join(map(str, self.read))}."

    def html(self) -> str:
        """The images side by side, as many as there is room for, each above what it was read as."""
        look = "display: inline-block; margin: 0 1.5em 0.5em 0; text-align: center"
        both = zip(self.images, self.read, strict=True)
        return "".join(
            f'<span style="{look}">{image(_svg(dots), "A handwritten digit.")}<br>read as {digit}</span>'
            for dots, digit in both
        )

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self.html()}


def engine() -> ModuleType:
    """minigrad, if it is whole; PyTorch where its parts have been taken out, so that a learner can write them."""
    import minigrad

    try:
        minigrad.nn.Linear(1, 1)(minigrad.ones(1, 1).requires_grad_()).sum().backward()
    except RuntimeError:
        prepare()  # for matrices as small as these, one thread is fastest
        return pytorch()
    return minigrad


def show(torch: ModuleType | None = None, passes: int = 8, steps: int = 300) -> None:
    """Let the engine learn digits, and then sums; show how it gets on.

    Args:
        torch: the engine; `engine()` if None.
        passes: how often it goes through the images.
        steps: how many steps it takes on the sums.
    """
    torch = torch or engine()
    print(f"{torch.__name__} learns to read digits.\nOf images that it has never seen,\nit reads")
    for number, (share, read) in enumerate(digits(torch, passes), start=1):  # noqa: B007 - the last one is shown
        print(f"  {100 * share:.0f} % after pass {number} of {passes}")
    print(f"\n{torch.__name__} learns to finish a sum.")
    for step, answers in sums(torch, steps):
        print(f"After step {step} of {steps}:")
        print("\n".join(f"  {question} {answer}" for question, answer in answers))
    print("\nOf the new images, for instance:")
    _display(read)  # at the end: in a notebook that is stored, all that is printed stands before what is shown


def _display(read: Digits) -> None:
    if shell() is None:
        print(read)
        return
    from IPython.display import display  # a process without IPython has none

    display(read)


def digits(torch: ModuleType, passes: int) -> Iterator[tuple[float, Digits]]:
    """After each pass over the images, the share of new ones that is read rightly, and four of these."""
    from sklearn.datasets import load_digits

    data = load_digits()
    order = np.random.default_rng(0).permutation(len(data.target))
    images, truth = data.data[order] / 16, data.target[order]
    x, y = torch.tensor(images), torch.tensor(truth)
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 10)).double()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.003)
    for _ in range(passes):
        for i in range(0, SEEN, 50):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(net(x[i : i + 50]), y[i : i + 50]).backward()
            optimizer.step()
        found = np.asarray(net(x[SEEN:]).detach().argmax(1).numpy())
        yield float((found == truth[SEEN:]).mean()), Digits(images[SEEN : SEEN + 4], tuple(found[:4].tolist()))


def _svg(dots: np.ndarray) -> str:
    """An image as a drawing, black on white."""
    squares = "".join(
        f'<path d="M {i % SIDE} {i // SIDE} h 1 v 1 h -1 z" fill-opacity="{shade:.2f}"/>'
        for i, shade in enumerate(dots)
        if shade
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80" viewBox="0 0 {SIDE} {SIDE}" '
        f'shape-rendering="crispEdges"><rect width="100%" height="100%" fill="#fff"/>{squares}</svg>'
    )


def sums(torch: ModuleType, steps: int) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """At the first step, a few on the way and the last: how the engine finishes three sums in words."""
    rng = np.random.default_rng(0)
    a, b = (rng.integers(0, 4, (steps, 64)) for _ in range(2))
    model = _model(torch)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(1, steps + 1):
        one, other = a[step - 1], b[step - 1]
        question = torch.tensor(np.stack([one, one * 0 + PLUS, other, one * 0 + IS], axis=1))
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(question), torch.tensor(one + other))
        loss.backward()
        optimizer.step()
        if step in (1, steps // 10, steps // 3, steps):
            yield step, [_finished(torch, model, *pair) for pair in ((2, 1), (0, 3), (3, 3))]


def _finished(torch: ModuleType, model: Any, one: int, other: int) -> tuple[str, str]:
    row = [one, PLUS, other, IS]
    answer = int(model(torch.tensor([row])).argmax(1).item())
    return " ".join(WORDS[word] for word in row), WORDS[answer]


def _model(torch: ModuleType) -> Any:
    """A small network with attention: what follows after the last word?"""

    class Model(torch.nn.Module):  # type: ignore[name-defined]
        def __init__(self, width: int = 16) -> None:
            super().__init__()
            self.words = torch.nn.Embedding(len(WORDS), width)
            self.places = torch.nn.Embedding(4, width)
            self.q, self.k, self.v = (torch.nn.Linear(width, width) for _ in range(3))
            self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, len(WORDS))

        def forward(self, index: Any) -> Any:
            x = self.words(index) + self.places(torch.arange(index.shape[1]))
            weights = (self.q(x) @ self.k(x).mT / x.shape[-1] ** 0.5).softmax(-1)
            x = x + weights @ self.v(x)
            return self.down(self.up(x[:, -1]).relu())

    torch.manual_seed(0)
    return Model()
