"""`Optimizer`: parameter groups, their settings, and what each parameter needs to remember."""

import copy
import warnings
from collections import defaultdict
from inspect import Parameter, Signature
from typing import Any

from ..core.tensor import Tensor, materialise
from ..nn.module import clear_grads
from ..surface.views import unrecorded

UNORDERED = (
    "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will change "
    "between runs. Please use a list instead."
)
TWICE = (
    "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; see "
    "github.com/pytorch/pytorch/issues/40967 for more information"
)
CHECKED = {"lr": "learning rate", "eps": "epsilon value"} | {
    name: f"{name} value" for name in ("momentum", "weight_decay", "lr_decay", "alpha", "initial_accumulator_value")
}


class Optimizer:
    """Changes parameters by their gradients.

    Args:
        params: tensors, or dicts with `params` and settings of their own.
        defaults: the settings of a group that has none of its own.

    Raises:
        TypeError: something that is not a tensor.
        ValueError: nothing to optimize, or a tensor that is not a leaf.
        NotImplementedError: a setting that is `absent` is asked for.
    """

    absent: tuple[str, ...] = ()  # torch's settings that minigrad takes at their default, False, alone

    stepped = False  # has `step` been called (since `scheduled`)? A schedule asks.
    scheduled = False  # has it a learning-rate schedule?

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                "torch.FloatTensor"
            )
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, group: dict[str, Any]) -> None:
        """Add tensors with settings of their own; of pairs (name, tensor), the names become `param_names`."""
        if not isinstance(group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(group)}")
        if isinstance(group["params"], set):
            raise TypeError(UNORDERED)
        params = [group["params"]] if isinstance(group["params"], Tensor) else list(group["params"])
        names = [p[0] for p in params if isinstance(p, tuple)]
        if names and len(names) != len(params):
            raise ValueError("all optimizer params should be with/without names. Some param names are missing")
        params = [p[1] if isinstance(p, tuple) else p for p in params]
        self.check_params(params)
        group = {**self.defaults, **group, "params": params} | ({"param_names": names} if names else {})
        if self.param_groups and ("param_names" in group) != ("param_names" in self.param_groups[0]):
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{'with' if 'param_names' in group else 'without'} names to the optimizer"
            )
        for name in self.absent:
            if group.get(name):
                raise NotImplementedError(f"minigrad's {type(self).__name__} has no {name}, which torch's has.")
        self.param_groups.append(group)

    def check_params(self, params: list[Any]) -> None:
        """TypeError or ValueError for what cannot be optimized, or is already; warns of a tensor given twice."""
        taken = {p for other in self.param_groups for p in other["params"]}
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(p).__name__}")
            if not p.is_leaf and not p._retains_grad:
                raise ValueError("can't optimize a non-leaf Tensor")
            if p in taken:
                raise ValueError("some parameters appear in more than one parameter group")
        if len(set(params)) < len(params):
            warnings.warn(TWICE, UserWarning, stacklevel=5)  # the caller of SGD(…)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients: backward adds to what is there."""
        for group in self.param_groups:
            clear_grads(group["params"], set_to_none)

    def step(self, closure: Any = None) -> Any:
        """Change every parameter that has a gradient; a closure computes the loss first.

        Like torch's, this counts as a change in place: a graph that saved a parameter can no longer
        be run backward.
        """
        self.stepped = True
        loss = None if closure is None else closure()
        for group in self.param_groups:
            if isinstance(group["lr"], Tensor):
                group = {**group, "lr": group["lr"].item()}
            for p in group["params"]:
                if p._grad is not None:
                    self.update(p, p._grad._array, group)
                    unrecorded(p)
        return loss

    def update(self, p: Tensor, grad: Any, group: dict[str, Any]) -> None:
        """Change one parameter's array: each optimizer says how. What it remembers is `self.state[p]`."""
        raise NotImplementedError(f"{type(self).__name__} has no update")

    def state_dict(self) -> dict[str, Any]:
        """Settings and memory, with parameters numbered in order; like torch's, the memory is no copy."""
        order = {p: i for i, p in enumerate(p for group in self.param_groups for p in group["params"])}
        groups = [{**group, "params": [order[p] for p in group["params"]]} for group in self.param_groups]
        return {"state": {order[p]: state for p, state in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take settings and memory from `state_dict`."""
        params = [p for group in self.param_groups for p in group["params"]]
        groups = state_dict["param_groups"]
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if [len(g["params"]) for g in groups] != [len(g["params"]) for g in self.param_groups]:
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        for group, saved in zip(self.param_groups, groups, strict=True):
            group.update({key: value for key, value in saved.items() if key != "params"})
        self.state.clear()
        for i, state in state_dict["state"].items():
            self.state[params[i]] = copy.deepcopy(state)

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            text += "".join(f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params")
        return text + ")"


class Formula(Optimizer):
    """An optimizer that says its settings, with torch's defaults in torch's order, and how it changes one parameter.

    `order` is how a group lists them, where that is another one.
    """

    settings: dict[str, Any]
    order: tuple[str, ...] = ()
    __signature__: Signature

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        taken = {"params": Parameter.empty} | cls.settings
        kind = Parameter.POSITIONAL_OR_KEYWORD
        cls.__signature__ = Signature([Parameter(name, kind, default=default) for name, default in taken.items()])

    def __init__(self, *given: Any, **named: Any) -> None:
        bound = self.__signature__.bind(*given, **named)
        bound.apply_defaults()
        params = bound.arguments.pop("params")
        self.check(bound.arguments)
        super().__init__(params, {name: bound.arguments[name] for name in self.order or bound.arguments})

    def check(self, settings: dict[str, Any]) -> None:
        """ValueError for a setting below 0, or of several elements."""
        for name, words in CHECKED.items():
            value = settings.get(name, 0)
            if isinstance(value, Tensor) and value.numel() != 1:
                raise ValueError("Tensor lr must be 1-element")
            if value < 0.0:
                raise ValueError(f"Invalid {words}: {value}")

    def update(self, p: Tensor, grad: Any, group: dict[str, Any]) -> None:
        """Change one parameter by its gradient, or by minus that, with the weight decay added."""
        array, decay = materialise(p), group["weight_decay"]
        if group["maximize"]:
            grad = -grad
        if decay and group.get("decoupled_weight_decay"):
            array *= 1 - group["lr"] * decay
        elif decay:
            grad = grad + decay * array
        self.change(p, array, grad, group)

    change: Any  # the formula, of p, its array, the gradient and the group; what it remembers is `self.state[p]`
