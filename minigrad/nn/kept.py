"""Activations and losses: modules that are a function of `nn.functional`, and keep its settings."""

import inspect
from typing import Any

from . import functional
from .formulas import legacy_reduction
from .module import Module


class Kept(Module):
    """A function, with the settings that it was made with: those that follow its inputs, as in the function."""

    function: Any
    settings: tuple[str, ...]
    size_average = reduce = None  # of torch's first versions: see `legacy_reduction`

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__()
        bound = inspect.signature(type(self)).bind(*given, **named)
        bound.apply_defaults()
        kept = bound.arguments
        if "size_average" in kept:
            legacy = kept.pop("size_average"), kept.pop("reduce")
            kept["reduction"] = legacy_reduction(kept["reduction"], *legacy)
        for name, value in kept.items():
            if name.endswith("weight"):  # which is saved with the module
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """The function of the inputs: one, or the loss of an input against a target."""
        settings = [getattr(self, name) for name in self.settings]
        if named:
            return self.function(*inputs, **named, **dict(zip(self.settings, settings, strict=True)))
        return self.function(*inputs, *settings)  # a call by place takes half as long


class Activation(Kept):
    """A function of one input, which says its settings."""

    def extra_repr(self) -> str:
        """The settings; `inplace` if it is on."""
        shown = {name: getattr(self, name) for name in self.settings}
        return ", ".join(f"{name}={value!r}" for name, value in shown.items() if name != "inplace" or value)


def module(name: str, function: Any, inputs: int = 1) -> type[Module]:
    """A class of modules for a function: its parameters after the inputs, up to the last by place, are settings."""
    by_place = [p for p in inspect.signature(function).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    parameters = [p.replace(annotation=p.empty) for p in by_place[inputs:]]
    members = {
        "function": staticmethod(function),
        "settings": tuple(p.name for p in parameters),
        "__signature__": inspect.Signature(parameters),
        "__doc__": function.__doc__,
        "__module__": __name__,
    }
    return type(name, (Activation if inputs == 1 else Kept,), members)


ReLU = module("ReLU", functional.relu)
LeakyReLU = module("LeakyReLU", functional.leaky_relu)
ELU = module("ELU", functional.elu)
GELU = module("GELU", functional.gelu)
SiLU = module("SiLU", functional.silu)
Tanh = module("Tanh", functional.tanh)
Sigmoid = module("Sigmoid", functional.sigmoid)
LogSigmoid = module("LogSigmoid", functional.logsigmoid)
Softplus = module("Softplus", functional.softplus)
Softmax = module("Softmax", functional.softmax)
LogSoftmax = module("LogSoftmax", functional.log_softmax)

MSELoss = module("MSELoss", functional.mse_loss, 2)
L1Loss = module("L1Loss", functional.l1_loss, 2)
SmoothL1Loss = module("SmoothL1Loss", functional.smooth_l1_loss, 2)
HuberLoss = module("HuberLoss", functional.huber_loss, 2)
KLDivLoss = module("KLDivLoss", functional.kl_div, 2)
BCELoss = module("BCELoss", functional.binary_cross_entropy, 2)
BCEWithLogitsLoss = module("BCEWithLogitsLoss", functional.binary_cross_entropy_with_logits, 2)
NLLLoss = module("NLLLoss", functional.nll_loss, 2)
CrossEntropyLoss = module("CrossEntropyLoss", functional.cross_entropy, 2)

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CrossEntropyLoss", "ELU", "GELU", "HuberLoss", "KLDivLoss", "L1Loss", "LeakyReLU",
    "LogSigmoid", "LogSoftmax", "MSELoss", "NLLLoss", "ReLU", "SiLU", "Sigmoid", "SmoothL1Loss", "Softmax", "Softplus",
    "Tanh",
]  # fmt: skip
