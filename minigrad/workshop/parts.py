"""Which chapter builds which part of the engine.

A part is one definition – a class, a function or a method – written once, in one chapter, and final
from then on. This table is data: it imports nothing of the engine.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """One definition that a learner writes.

    Attributes:
        name: what the learner defines, e.g. `Mul`.
        chapter: the chapter that builds it.
        module: the module of minigrad that holds it, e.g. `minigrad.rules.arithmetic`.
        path: its dotted path inside that module; the name, unless it is a method.
        until: the chapter that replaces it, for the one scaffold; 0 for a part that is final.
        lent: the first chapter to which minigrad lends it before its own; 0 for a part that is never lent.
        before: the module whose definition of the same name stands in its place until its chapter.
    """

    name: str
    chapter: int
    module: str
    path: str = ""
    until: int = 0
    lent: int = 0
    before: str = ""

    @property
    def qualname(self) -> str:
        """The dotted path of the definition inside its module."""
        return self.path or self.name

    def hidden_in(self, chapter: int) -> bool:
        """Whether minigrad does not have the part when `chapter` begins."""
        return self.chapter == chapter or (self.chapter > chapter and not 0 < self.lent <= chapter)

    def exists_in(self, chapter: int) -> bool:
        """Whether the engine of this chapter has the part at all: a scaffold is taken down again."""
        return not self.until or chapter < self.until


ENGINE = "minigrad.core.engine"
FUNCTION = "minigrad.core.function"
ARITHMETIC = "minigrad.rules.arithmetic"
REDUCE = "minigrad.rules.reduce"
LOSS = "minigrad.rules.loss"

PARTS: tuple[Part, ...] = (
    # 1: one step
    Part("Add", 1, ARITHMETIC),
    Part("Mul", 1, ARITHMETIC),
    Part("Neg", 1, ARITHMETIC),
    Part("Sub", 1, ARITHMETIC),
    Part("Pow", 1, ARITHMETIC),
    Part("backpropagate", 1, "minigrad.workshop.scaffold", until=3),
    # 2: multiple steps
    Part("Div", 2, ARITHMETIC),
    Part("unbroadcast", 2, "minigrad.core.unbroadcast"),
    Part("Sum", 2, REDUCE),
    Part("Mean", 2, REDUCE),
    # 3: the graph
    Part("gradient_edge", 3, FUNCTION, lent=1),
    Part("record", 3, FUNCTION, path="Function.record", lent=1),
    Part("run_backward", 3, ENGINE, before="minigrad.workshop.scaffold"),
    # 4: a one-layer network
    Part("MatMul", 4, "minigrad.rules.linalg"),
    Part("Sigmoid", 4, "minigrad.rules.elementwise"),
    Part("softplus", 4, LOSS),
    Part("BinaryCrossEntropyWithLogits", 4, LOSS),
    # 5: computing gradients
    # In chapter 1 the learner's own walk ends at a leaf; from chapter 2 on minigrad lends `accumulate`.
    Part("accumulate", 5, FUNCTION, lent=2),
    Part("first_gradient", 5, ENGINE, lent=1),
    Part("save", 5, FUNCTION, path="Function.save", lent=1),
    Part("visit_and_free", 5, ENGINE, lent=1),
    # 6: disabling gradient tracking
    # minigrad lends all three from the start: the grader reads tensors through no_grad and detach.
    Part("GradMode", 6, "minigrad.core.grad_mode", lent=1),
    Part("saved_tensors", 6, FUNCTION, path="Function.saved_tensors", lent=1),
    Part("detach", 6, "minigrad.core.tensor", path="Tensor.detach", lent=1),
    # 7: training
    Part("MseLoss", 7, LOSS),
    Part("sgd_step", 7, "minigrad.optim.sgd"),
    Part("clear_grad", 7, "minigrad.nn.module"),
    Part("adam_step", 7, "minigrad.optim.adam"),
    # 8: nn
    Part("Relu", 8, "minigrad.rules.elementwise", lent=5),  # chapter 5 looks at kinks
    Part("Parameter", 8, "minigrad.nn.parameter"),
    Part("__setattr__", 8, "minigrad.nn.module", path="Module.__setattr__"),
    Part("named_parameters", 8, "minigrad.nn.module", path="Module.named_parameters"),
    Part("fan_in_uniform_", 8, "minigrad.nn.init"),
    Part("Linear", 8, "minigrad.nn.layers"),
    # 9: beyond the tutorials
    Part("numerical_jacobian", 9, "minigrad.autograd.gradcheck"),
    Part("analytical_jacobian", 9, "minigrad.autograd.gradcheck"),
    Part("NativeLayerNorm", 9, "minigrad.rules.activation"),
)

BY_NAME = {part.name: part for part in PARTS}


def built_by(chapter: int) -> tuple[Part, ...]:
    """The parts that `chapter` builds, in the order in which it builds them."""
    return tuple(part for part in PARTS if part.chapter == chapter)
