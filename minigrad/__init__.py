"""minigrad: torch.autograd's behaviour in a small NumPy package.

`import minigrad as torch` runs a tutorial on automatic differentiation with the same results, flags,
warnings and errors. Reading order: `core/`, then `rules/`; `surface/` makes torch's interface of both.
"""

import contextlib
import warnings
from math import e, inf, nan, pi

import numpy as np

from . import autograd, nn, optim, utils
from . import surface as _surface
from .core.tensor import Tensor
from .saving import load, save
from .surface import graph as _graph
from .surface import inplace as _inplace
from .surface import names as _names
from .surface import promotion as _promotion
from .surface import stand_in as _stand_in
from .surface import tensor as _tensor
from .surface.arithmetic import *  # noqa: F403
from .surface.arrange import *  # noqa: F403
from .surface.comparing import *  # noqa: F403
from .surface.creation import *  # noqa: F403
from .surface.device import backends, cuda, device, set_default_device
from .surface.device import placed as _placed
from .surface.dtypes import bool_ as bool  # noqa: A004
from .surface.dtypes import dtype, float32, float64, get_default_dtype, int32, int64, set_default_dtype
from .surface.einsum import einsum
from .surface.elementwise import *  # noqa: F403
from .surface.formulas import *  # noqa: F403
from .surface.formulas import divide as div
from .surface.grad_mode import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from .surface.index import *  # noqa: F403
from .surface.limits import compile, finfo, get_num_threads, iinfo, numel, set_num_threads  # noqa: A004
from .surface.linalg import *  # noqa: F403
from .surface.namespace import absent as _absent
from .surface.namespace import of_tensors as _of_tensors
from .surface.order import *  # noqa: F403
from .surface.printing import set_printoptions
from .surface.random import *  # noqa: F403
from .surface.reduce import *  # noqa: F403
from .surface.rounding import *  # noqa: F403
from .surface.shape import *  # noqa: F403
from .surface.size import Size

__version__ = "1.0.0"

float = float32  # noqa: A001
double = float64
int = int32  # noqa: A001
long = int64

# inf and nan come without a word, as in torch. NumPy's warnings are silenced for minigrad's own lines only.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=rf"{__name__}\.")


# glibc gives each block above a threshold back to the system at once, and asks for it again the next
# time. Freeing a large block raises the threshold, so that arrays of a training step are reused.
np.empty(2**24, np.uint8)  # freed at once

_rooms = "arithmetic arrange comparing creation elementwise formulas index linalg order random reduce rounding shape"
_public = {room: getattr(_surface, room).__all__ for room in _rooms.split()}  # in each of its rooms torch's names
for _name in [name for room in _public.keys() - {"creation", "linalg", "random"} for name in _public[room]]:
    globals()[_name] = _of_tensors(globals()[_name], __name__)
for _name in {*_public["creation"], *_public["random"]} - {"Generator", "from_numpy", "initial_seed", "manual_seed"}:
    globals()[_name] = _placed(globals()[_name])

__all__ = [
    *[name for names in _public.values() for name in names],
    "Size", "Tensor", "autograd", "backends", "bool", "compile", "cuda", "device", "double", "dtype", "e", "einsum",
    "enable_grad", "finfo", "float", "float32", "float64", "get_default_dtype", "get_num_threads", "iinfo", "inf",
    "inference_mode", "int", "int32", "int64", "is_grad_enabled", "load", "long", "nan", "nn", "no_grad", "numel",
    "optim", "pi", "save", "set_default_device", "set_default_dtype", "set_grad_enabled", "set_num_threads",
    "set_printoptions", "utils",
]  # fmt: skip
__getattr__ = _absent("minigrad")

with contextlib.suppress(ImportError):  # without it all is the same, and slower
    from . import flat as _flat
