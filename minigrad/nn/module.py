"""`Module`: parameters and modules, found by the names they are assigned to."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..core.tensor import Tensor
from ..surface.device import to_cuda
from ..surface.dtypes import word
from ..surface.grad_mode import no_grad
from .parameter import Parameter


def dotted(prefix: str, name: str) -> str:
    """The name of something inside: `body.weight`, or `weight` where there is no prefix."""
    return f"{prefix}.{name}" if prefix else name


def typename(value: Any) -> str:
    """torch's name of a type or function, or of another value's type."""
    if isinstance(value, Tensor):
        return f"torch.{word(value)}Tensor"
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", type(value).__name__)
    return name if module in ("builtins", None) else f"{module}.{name}"


class Module:
    """A part of a network: it holds parameters and other modules, and computes by `forward`."""

    training = True

    def __init__(self) -> None:
        self.__dict__["_parameters"] = {}
        self.__dict__["_modules"] = {}
        self.__dict__["_buffers"] = {}
        self.__dict__["_non_persistent"] = set()  # the names of buffers that `state_dict` leaves out

    def __setattr__(self, name: str, value: Any) -> None:
        """self.name = value: parameters and modules go into tables of their own."""
        self.make_way(name, value)
        if isinstance(value, Parameter):
            self._parameters[name] = value
        elif isinstance(value, Module):
            self._modules[name] = value
        else:
            self.set_other(name, value)

    def make_way(self, name: str, value: Any) -> None:
        """Forget what else had this name; AttributeError or TypeError where `value` cannot have it."""
        is_parameter, is_module = isinstance(value, Parameter), isinstance(value, Module)
        held = self.__dict__
        if is_parameter or is_module:
            if "_parameters" not in held:
                what = "parameters" if is_parameter else "module"
                raise AttributeError(f"cannot assign {what} before Module.__init__() call")
            others = [held, held["_buffers"], held["_modules"]] if is_parameter else [held, held["_buffers"]]
            for table in others:
                table.pop(name, None)
        if name in held.get("_parameters", {}) and not is_parameter and value is not None:
            what = f"cannot assign '{typename(value)}' as parameter '{name}'"
            raise TypeError(f"{what} (torch.nn.Parameter or None expected)")
        if name in held.get("_modules", {}) and not is_module and value is not None:
            what = f"cannot assign '{typename(value)}' as child module '{name}'"
            raise TypeError(f"{what} (torch.nn.Module or None expected)")
        if name in held.get("_buffers", {}) and value is not None and not isinstance(value, Tensor) and not is_module:
            what = f"cannot assign '{typename(value)}' as buffer '{name}'"
            raise TypeError(f"{what} (torch.nn.Buffer, torch.Tensor or None expected)")

    def set_other(self, name: str, value: Any) -> None:
        """Assign what is neither parameter nor module: None in place of one, a new buffer, any attribute."""
        held = self.__dict__
        for table in (held.get(kind, {}) for kind in ("_parameters", "_modules", "_buffers")):
            if name in table and (value is None or isinstance(value, Tensor)):
                table[name] = value
                return
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        held = self.__dict__
        for table in ("_parameters", "_modules", "_buffers"):
            if table in held and name in held[table]:
                return held[table][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __dir__(self) -> list[str]:
        """What completion offers: parameters, modules and buffers too."""
        held = [*self._parameters, *self._modules, *self._buffers]
        return [*super().__dir__(), *[name for name in held if name.isidentifier()]]

    def __delattr__(self, name: str) -> None:
        for table in (self._parameters, self._modules, self._buffers, self.__dict__):
            if name in table:
                del table[name]
                return
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def check_name(self, kind: str, name: str) -> None:
        """torch's error where nothing can be registered under this name."""
        held = self.__dict__.get(f"_{kind}s")
        if held is None:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."' + (f", got: {name}" if kind == "module" else ""))
        if not name:
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if name not in held and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")

    def register_parameter(self, name: str, param: Any) -> None:
        """The same as assigning it, but None keeps the name without a parameter."""
        self.check_name("parameter", name)
        if param is not None and not isinstance(param, Parameter):
            what = f"cannot assign '{typename(param)}' object to parameter '{name}'"
            raise TypeError(f"{what} (torch.nn.Parameter or None required)")
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """A tensor that is not trained, but saved with the parameters if it is `persistent`."""
        self.check_name("buffer", name)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent.discard(name)
        else:
            self._non_persistent.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """The same as assigning it, for a name that is not an identifier."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self.check_name("module", name)
        self._modules[name] = module

    def forward(self, *inputs: Any) -> Any:
        """What the module computes: each module says."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *inputs: Any, **settings: Any) -> Any:
        """Run `forward`."""
        return self.forward(*inputs, **settings)

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly inside, each once, with their names."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules directly inside."""
        yield from (module for _, module in self.named_children())

    def named_modules(self, prefix: str = "", seen: set[Any] | None = None) -> Iterator[tuple[str, Module]]:
        """This module and all below, each once, with dotted names."""
        seen = set() if seen is None else seen
        if self in seen:
            return
        seen.add(self)
        yield prefix, self
        for name, module in self.named_children():
            yield from module.named_modules(dotted(prefix, name), seen)

    def modules(self) -> Iterator[Module]:
        """This module and all below, each once."""
        yield from (module for _, module in self.named_modules())

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, seen: set[Any] | None = None
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters of this module and of those below, each once, with dotted names."""
        seen = set() if seen is None else seen
        for name, parameter in self._parameters.items():
            if parameter is not None and parameter not in seen:
                seen.add(parameter)
                yield dotted(prefix, name), parameter
        for name, module in self.named_children() if recurse else ():
            yield from module.named_parameters(dotted(prefix, name), recurse, seen)

    def named_buffers(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Tensor]]:
        """The buffers, each once, with dotted names."""
        seen = set()
        for path, module in self.named_modules(prefix) if recurse else [(prefix, self)]:
            for name, buffer in module._buffers.items():
                if buffer is not None and buffer not in seen:
                    seen.add(buffer)
                    yield dotted(path, name), buffer

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters, each once."""
        yield from (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def buffers(self) -> Iterator[Tensor]:
        """The buffers, each once."""
        yield from (buffer for _, buffer in self.named_buffers())

    def state_dict(self, prefix: str = "") -> OrderedDict[str, Tensor]:
        """Every parameter and persistent buffer by name, detached, sharing memory."""
        state: OrderedDict[str, Tensor] = OrderedDict()
        buffers = [(name, buffer) for name, buffer in self._buffers.items() if name not in self._non_persistent]
        for name, entry in [*self._parameters.items(), *buffers]:
            if entry is not None:
                state[prefix + name] = entry.detach()
        for name, module in self._modules.items():  # a shared one under each of its names
            if module is not None:
                state.update(module.state_dict(f"{prefix}{name}."))
        if hasattr(self, "get_extra_state"):
            state[f"{prefix}_extra_state"] = self.get_extra_state()
        return state

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> LoadResult:
        """Copy values into the parameters and buffers; RuntimeError that lists what does not fit."""
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        own = self.state_dict()
        missing = [name for name in own if name not in state_dict]
        unexpected = [name for name in state_dict if name not in own]
        problems = []
        for what, names in (("Missing", missing), ("Unexpected", unexpected)) if strict else ():
            if names:
                quoted = ", ".join(f'"{name}"' for name in names)
                problems.append(f"{what} key(s) in state_dict: {quoted}. ")
        for path, module in self.named_modules():
            key = dotted(path, "_extra_state")
            if hasattr(module, "set_extra_state") and key in state_dict:
                module.set_extra_state(state_dict[key])
                own.pop(key, None)
        for name, value in state_dict.items():
            if name in own and not isinstance(value, Tensor):
                problems.append(
                    f'While copying the parameter named "{name}", expected torch.Tensor or Tensor-like object from '
                    f"checkpoint but received {type(value)}"
                )
            elif name in own and own[name].shape != value.shape:
                problems.append(
                    f"size mismatch for {name}: copying a param with shape {value.shape} from checkpoint, the shape in "
                    f"current model is {own[name].shape}."
                )
            elif name in own:
                with no_grad():
                    own[name].copy_(value)
        if problems:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(problems))
        return LoadResult(missing, unexpected)

    def train(self, mode: bool = True) -> Module:
        """Set this module and all below to training (dropout works) or not; ValueError for what is no bool."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Module:
        """`train(False)`."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Module:
        """Set `requires_grad` of every parameter: False freezes the module."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of every parameter."""
        clear_grads(self.parameters(), set_to_none)

    def apply(self, function: Callable[[Module], None]) -> Module:
        """Call `function` on every module below, then on this one."""
        for module in self.children():
            module.apply(function)
        function(self)
        return self

    def double(self) -> Module:
        """Every parameter and buffer in float64."""
        return self.convert(lambda tensor: tensor.double())

    def float(self) -> Module:
        """Every parameter and buffer in float32."""
        return self.convert(lambda tensor: tensor.float())

    def to(self, *target: Any, **named: Any) -> Module:
        """Every floating-point parameter and buffer in another dtype; a device can be the CPU only."""
        return self.convert(lambda tensor: tensor.to(*target, **named))

    def cpu(self) -> Module:
        """The module itself, which is there already."""
        return self

    def cuda(self) -> Module:
        """AssertionError, as in a torch for the CPU."""
        return to_cuda(self)

    def convert(self, function: Callable[[Tensor], Tensor]) -> Module:
        """Replace the data of every floating-point parameter and buffer."""
        every: list[Any] = [*self.parameters(), *self.buffers()]
        for entry in every:
            if entry.is_floating_point():
                entry.data = function(entry.detach())
                if entry._grad is not None:
                    entry._grad.data = function(entry._grad.detach())
        return self

    def extra_repr(self) -> str:
        """What stands in the brackets of a module without modules inside."""
        return ""

    def children_repr(self) -> list[str]:
        """A text for each module directly inside."""
        return [f"({name}): {module!r}" for name, module in self._modules.items()]

    def __repr__(self) -> str:
        lines = [line for line in self.extra_repr().split("\n") if line]
        children = [text.replace("\n", "\n  ") for text in self.children_repr()]
        if not children:
            return f"{type(self).__name__}({self.extra_repr()})"
        return f"{type(self).__name__}(\n  " + "\n  ".join([*lines, *children]) + "\n)"


class LoadResult(NamedTuple):
    """What `load_state_dict` returns."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


def clear_grads(params: Iterable[Tensor], set_to_none: bool) -> None:
    """Clear every gradient; one that was computed with `create_graph=True` forgets its history."""
    for p in params:
        if not set_to_none and p._grad is not None and p._grad._requires_grad:
            p._grad.detach_()
        clear_grad(p, set_to_none)


def clear_grad(p: Tensor, set_to_none: bool) -> None:
    """Clear the gradient of the parameter p: afterwards p.grad is None.

    set_to_none: when False, a gradient that is there stays the same tensor and is filled with zeros.
    """
    if set_to_none:
        p.grad = None
    elif p.grad is not None:
        p.grad.zero_()
