"""`Optimizer`: parameter groups, their settings, and what each parameter needs to remember."""

from __future__ import annotations

from typing import Any

from ..nn.module import clear_grads
from ..tensor import Tensor


class Optimizer:
    """Changes parameters by their gradients.

    Args:
        params: tensors, or dicts with `params` and settings of their own.
        defaults: the settings of a group that has none of its own.

    Raises:
        TypeError: something that is not a tensor.
        ValueError: nothing to optimize, or a tensor that is not a leaf.
    """

    stepped = False  # has `step` been called? A schedule asks.

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                "torch.FloatTensor"
            )
        self.defaults = defaults
        self.state: dict[Tensor, dict[str, Any]] = {}
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, group: dict[str, Any]) -> None:
        """Add tensors with settings of their own."""
        params = [group["params"]] if isinstance(group["params"], Tensor) else list(group["params"])
        taken = {p for other in self.param_groups for p in other["params"]}
        params = [p[1] if isinstance(p, tuple) else p for p in params]
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(p).__name__}")
            if not p.is_leaf and not p._retains_grad:
                raise ValueError("can't optimize a non-leaf Tensor")
            if p in taken:
                raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append({**self.defaults, **group, "params": params})

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
            for p in group["params"]:
                if p._grad is not None:
                    self.update(p, p._grad._array, self.state.setdefault(p, {}), **group)
                    p._versions[0] += 1
        return loss

    def update(self, p: Tensor, grad: Any, state: dict[str, Any], **group: Any) -> None:
        """Change one parameter's array: each optimizer says how."""
        raise NotImplementedError(f"{type(self).__name__} has no update")

    def state_dict(self) -> dict[str, Any]:
        """Settings and memory, with parameters numbered in order."""
        order = {p: i for i, p in enumerate(p for group in self.param_groups for p in group["params"])}
        groups = [{**group, "params": [order[p] for p in group["params"]]} for group in self.param_groups]
        return {"state": {order[p]: dict(state) for p, state in self.state.items() if state}, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take settings and memory from `state_dict`."""
        params = [p for group in self.param_groups for p in group["params"]]
        if [len(g["params"]) for g in state_dict["param_groups"]] != [len(g["params"]) for g in self.param_groups]:
            raise ValueError("loaded state dict has a different number of parameter groups")
        for group, saved in zip(self.param_groups, state_dict["param_groups"], strict=True):
            group.update({key: value for key, value in saved.items() if key != "params"})
        self.state = {
            params[i]: {key: value.copy() if hasattr(value, "copy") else value for key, value in state.items()}
            for i, state in state_dict["state"].items()
        }

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            text += "".join(f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params")
        return text + ")"


def check(name: str, value: Any, lowest: float = 0.0) -> None:
    """ValueError for a setting below its range."""
    if value < lowest:
        raise ValueError(f"Invalid {name}: {value}")
