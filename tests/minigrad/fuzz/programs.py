"""The grammar: statements that build a graph, change it in place, view it, and run it backward."""

from __future__ import annotations

import random

SHAPES = [(), (3,), (2, 3), (1, 3), (2, 1)]


def broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of `a ∘ b`: any two of SHAPES fit."""
    n = max(len(a), len(b))
    a, b = (1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b
    return tuple(max(x, y) for x, y in zip(a, b, strict=True))


class Writer:
    """Writes one program: it keeps the names and shapes, nothing else, so errors do happen."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.leaves: list[str] = []
        self.kept: list[str] = []  # views made under no_grad

    def program(self) -> list[str]:
        """Leaves, some statements, backward."""
        for _ in range(self.random.randint(2, 3)):
            self.leaf()
        for _ in range(self.random.randint(4, 14)):
            self.statement()
        for _ in range(self.random.choice([1, 1, 2, 3])):
            self.backward()
            if self.random.random() < 0.3:
                self.statement()
        return self.lines

    def new(self, prefix: str, shape: tuple[int, ...]) -> str:
        name = f"{prefix}{len(self.shapes)}"
        self.shapes[name] = shape
        return name

    def any(self) -> str:
        names = list(self.shapes)
        return self.random.choice(names[-6:] if self.random.random() < 0.7 else names)

    def numbers(self, shape: tuple[int, ...]) -> str:
        if not shape:
            return str(round(self.random.uniform(0.3, 2.0), 2))
        return "[" + ", ".join(self.numbers(shape[1:]) for _ in range(shape[0])) + "]"

    def leaf(self) -> None:
        shape = self.random.choice(SHAPES)
        grad = self.random.random() < 0.75
        name = self.new("w", shape)
        self.leaves.append(name)
        self.lines.append(f"{name} = t.tensor({self.numbers(shape)}, dtype=t.float64, requires_grad={grad})")

    def statement(self) -> None:
        kinds = [self.binary] * 5 + [self.unary] * 3 + [self.reduction, self.view, self.view, self.index]
        kinds += [self.inplace] * 2 + [self.inplace_unary, self.setitem, self.no_grad, self.detach, self.retain]
        kinds += [self.data, self.hook, self.flag, self.clone, self.matmul, self.where, self.cat, self.leaf]
        kinds += [self.view_unrecorded, self.several, self.arrange, self.order]
        self.random.choice(kinds)()

    def binary(self) -> None:
        a, b = self.any(), self.any()
        op = self.random.choice(["+", "-", "*", "*", "/"])
        if self.random.random() < 0.25:
            number = self.random.choice(["2", "0.5", "3.0", "1"])
            left, right = (number, a) if self.random.random() < 0.5 else (a, number)
            shape = self.shapes[a]
        else:
            left, right, shape = a, b, broadcast(self.shapes[a], self.shapes[b])
        self.lines.append(f"{self.new('x', shape)} = {left} {op} {right}")

    def unary(self) -> None:
        a = self.any()
        call = self.random.choice(
            ["t.sin({})", "t.exp(-{} * {})", "t.sigmoid({})", "t.tanh({})", "{}.relu()", "-{}", "{} ** 2", "{} ** 3",
             "({} * {} + 1).log()", "abs({})", "{}.clamp(-0.5, 1.5)", "t.softmax({}, -1)", "({} * {} + 0.5).sqrt()", "2 ** {}"]
        )  # fmt: skip
        self.lines.append(f"{self.new('x', self.shapes[a])} = {call.replace('{}', a)}")

    def reduction(self) -> None:
        a = self.any()
        shape = self.shapes[a]
        if shape and self.random.random() < 0.6:
            call, shape = self.random.choice([("sum(-1)", shape[:-1]), ("mean(-1, keepdim=True)", (*shape[:-1], 1))])
        else:
            call, shape = self.random.choice(
                [("sum()", ()), ("mean()", ()), ("max()", ()), ("var(0, unbiased=False)", shape[1:])]
            )
            if "var" in call and not shape and not self.shapes[a]:
                call, shape = "sum()", ()
        self.lines.append(f"{self.new('x', shape)} = {a}.{call}")

    def view(self) -> None:
        a = self.any()
        shape = self.shapes[a]
        options = [("reshape(-1)", (max(1, _size(shape)),)), ("unsqueeze(0).squeeze(0)", shape)]
        if len(shape) == 1:
            options += [("t()", shape)]
        if len(shape) == 2:
            options += [("t().reshape(-1)", (_size(shape),)), ("view(-1)", (_size(shape),)), ("t().t()", shape)]
        if shape and shape[0] == 2:
            options += [("expand(2, 3)", (2, 3))] if shape == (2, 1) else [("flatten()", (_size(shape),))]
        call, shape = self.random.choice(options)
        self.lines.append(f"{self.new('v', shape)} = {a}.{call}")

    def index(self) -> None:
        a = self.any()
        shape = self.shapes[a]
        if not shape:
            return
        options = [("[0]", shape[1:]), ("[-1]", shape[1:]), ("[:1]", (1, *shape[1:])), ("[..., 0]", shape[:-1])]
        options += [("[t.tensor([0, 0])]", (2, *shape[1:])), ("[None]", (1, *shape))]
        call, shape = self.random.choice(options)
        if len(shape) > 2 or shape not in (*SHAPES, (2,), (1,), (6,)):
            return
        self.lines.append(f"{self.new('v', shape)} = {a}{call}")

    def inplace(self) -> None:
        a, b = self.any(), self.any()
        if self.random.random() < 0.3:
            b = "2.0"
        name = self.random.choice(["add_", "mul_", "sub_", "div_", "copy_"])
        if b == "2.0" and name == "copy_":
            name = "fill_"
        self.guarded(f"{a}.{name}({b})")

    def inplace_unary(self) -> None:
        name = self.random.choice(["exp_", "zero_", "sigmoid_", "tanh_", "relu_", "sin_", "neg_", "abs_"])
        self.guarded(f"{self.any()}.{name}()")

    def setitem(self) -> None:
        a = self.any()
        if self.shapes[a]:
            value = self.random.choice(["0.5", self.any()])
            index = self.random.choice(["0", "-1", "..., 0", ":1", "t.tensor([0, 0])" if value == "0.5" else "0"])
            self.guarded(f"{a}[{index}] = {value}")

    def guarded(self, statement: str) -> None:
        """Under no_grad now and then: allowed on leaves, and not recorded."""
        self.lines.append(f"with t.no_grad(): {statement}" if self.random.random() < 0.25 else statement)

    def no_grad(self) -> None:
        a, b = self.any(), self.any()
        name = self.new("x", broadcast(self.shapes[a], self.shapes[b]))
        inner = f"{name} = {a} * {b}"
        if self.random.random() < 0.3:
            self.lines.append(f"with t.no_grad(), t.enable_grad(): {inner}")
        else:
            self.lines.append(f"with t.no_grad(): {inner}")

    def detach(self) -> None:
        a = self.any()
        if self.random.random() < 0.15:
            # Of a new tensor: torch refuses a graph that saved a tensor before its detach_(), minigrad runs it.
            self.lines.append(f"{self.new('d', self.shapes[a])} = ({a} * 2).detach_()")
        else:
            self.lines.append(f"{self.new('d', self.shapes[a])} = {a}.detach()")

    def view_unrecorded(self) -> None:
        """A view made under no_grad is written to, itself or a view of it, in a mode and in the other.

        It is used now or later, when what it shows may have changed. Of that no gradient is asked: torch's nodes save
        nothing for what leads nowhere, so that a second backward runs, and minigrad's do save.
        """
        if not self.kept or self.random.random() < 0.5:
            kept = f"kept{len(self.kept)}"
            self.kept.append(kept)
            self.lines.append(f"with t.no_grad(): {kept} = {self.any()}.view(-1)")
        kept = self.random.choice(self.kept)
        if self.random.random() < 0.5:
            self.guarded(f"{kept}{self.random.choice(['', '.view(-1)', '[:1]'])}.mul_(2.0)")
        else:
            use = self.random.choice(["{} * 2", "{}[:1]", "{}.view(-1)", "t.cat([{}, {}])", "{}.sum()", "{}.detach()"])
            self.lines.append(f"used = {use.replace('{}', kept)}")

    def several(self) -> None:
        """One of several views that a function returned is written to, or one of its views; or it is used."""
        a = self.any()
        shape = self.shapes[a]
        if len(shape) == 2:
            call, shape = self.random.choice(
                [("unbind(0)", shape[1:]), ("unbind(1)", shape[:1]), ("split(1)", (1, shape[1]))]
            )
            if self.random.random() < 0.5:
                self.lines.append(f"{self.new('x', shape)} = {a}.{call}[0] * 1")
            else:
                self.lines.append(f"{a}.{call}[0]{self.random.choice(['', '[:1]', '.view(-1)'])}.mul_(2.0)")

    def arrange(self) -> None:
        """Elements moved about."""
        a = self.any()
        shape = self.shapes[a]
        if shape in SHAPES and shape:
            options = [("roll(1)", shape), ("narrow(-1, 0, 1)", (*shape[:-1], 1)), ("select(0, 0)", shape[1:])]
            options += [
                ("flip(0)", shape),
                ("movedim(0, -1)", shape[1:] + shape[:1]),
                ("repeat(1, 1)", (1,) * (2 - len(shape)) + shape),
            ]
            call, shape = self.random.choice(options)
            if shape in (*SHAPES, (1,), (2,)):
                self.lines.append(f"{self.new('x', shape)} = {a}.{call}")

    def order(self) -> None:
        """Elements in order, remainders, roundings and norms."""
        a = self.any()
        call = self.random.choice(
            ["{}.sort(-1)[0]", "{} % 0.7", "{}.floor()", "{}.trunc()", "{}.log1p()", "t.atan({})"]
        )
        self.lines.append(f"{self.new('x', self.shapes[a])} = {call.replace('{}', a)}")

    def clone(self) -> None:
        a = self.any()
        self.lines.append(f"{self.new('x', self.shapes[a])} = {a}.clone()")

    def retain(self) -> None:
        self.lines.append(f"{self.any()}.retain_grad()")

    def data(self) -> None:
        self.lines.append(f"{self.any()}.data.mul_(1.5)")

    def hook(self) -> None:
        self.lines.append(f"{self.any()}.register_hook(lambda grad: grad * 2)")

    def flag(self) -> None:
        """Of a new leaf, of which there may be a view: it shows there, too."""
        self.leaf()
        leaf = self.leaves[-1]
        self.lines.append(f"kept = {leaf}[None]; {leaf}.requires_grad_({self.random.random() < 0.7})")
        self.lines.append("kept = t.tensor(float(kept.requires_grad))")

    def matmul(self) -> None:
        a = self.any()
        if len(self.shapes[a]) == 2:
            self.lines.append(f"{self.new('x', (self.shapes[a][0],) * 2)} = {a} @ {a}.t()")
        elif self.shapes[a]:
            self.lines.append(f"{self.new('x', ())} = {a} @ {a}")

    def where(self) -> None:
        a, b = self.any(), self.any()
        shape = broadcast(self.shapes[a], self.shapes[b])
        self.lines.append(f"{self.new('x', shape)} = t.where({a} > {b} + 0.0123, {a}, {b} * 2)")

    def cat(self) -> None:
        a = self.any()
        if self.shapes[a]:
            self.lines.append(f"{self.new('x', self.shapes[a])} = t.stack([{a}, {a} * 2]).sum(0)")

    def backward(self) -> None:
        a = self.any()
        keep = self.random.choice(["", "", "retain_graph=True"])
        form = self.random.random()
        if form < 0.2:
            inputs = ", ".join(self.random.sample(self.leaves, min(2, len(self.leaves))))
            create = self.random.choice(["", ", create_graph=True", ", retain_graph=True"])
            name = self.new("g", self.shapes[self.leaves[0]])
            self.lines.append(f"{name} = t.autograd.grad({a}.sum(), [{inputs}], allow_unused=True{create})[0]")
            return
        if form < 0.3:
            self.lines.append(f"{a}.backward({keep})")
            return
        again = self.random.random() < 0.4
        name = self.new("loss", ())
        self.lines.append(f"{name} = ({a} * {a}).sum()")
        self.lines.append(f"{name}.backward({keep})")
        if again:
            self.lines.append(f"{name}.backward()")


def _size(shape: tuple[int, ...]) -> int:
    n = 1
    for k in shape:
        n *= k
    return n


def write(seed: int) -> list[str]:
    """The program of a seed."""
    return Writer(seed).program()
