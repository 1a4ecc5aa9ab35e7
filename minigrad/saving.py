"""`save` and `load`: tensors and what holds them in a zip of NumPy's arrays and one text of JSON.

Nothing in such a file is run when it is read. It is no file of torch's, and torch's are not read.
"""

from collections import OrderedDict
from typing import Any

import numpy as np

from .core.tensor import Tensor, wrap
from .nn.parameter import Parameter
from .surface import dtypes
from .surface.size import Size

NOT_SAVED = (
    "save keeps tensors, numbers, texts, None, lists, tuples and dicts of them, and no {}: of a module, save its "
    "state_dict()"
)
NOT_READ = "{} is no file that minigrad's save has written"


def save(obj: Any, f: Any) -> None:
    """Write tensors, and dicts, lists and tuples of them, to a file.

    Args:
        obj: a `state_dict`, say; TypeError for what cannot be kept, such as a whole module.
        f: a path, or a file that is open for writing bytes.
    """
    import json  # imported where it is used, as zipfile is: `import minigrad` is quicker without
    import zipfile

    arrays: list[np.ndarray] = []
    text = json.dumps(described(obj, arrays))
    with zipfile.ZipFile(f, "w") as archive:
        archive.writestr("content.json", text)
        for i, array in enumerate(arrays):
            with archive.open(f"{i}.npy", "w") as file:
                np.lib.format.write_array(file, np.asanyarray(array), allow_pickle=False)


def load(f: Any, map_location: Any = None, *, weights_only: bool = True) -> Any:
    """Read what `save` has written; `map_location` and `weights_only` change nothing. ValueError for another file."""
    import io
    import json
    import zipfile

    try:
        with zipfile.ZipFile(f) as archive:
            content = json.loads(archive.read("content.json"))
            return rebuilt(content, lambda i: np.lib.format.read_array(io.BytesIO(archive.read(f"{i}.npy"))))
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError) as error:
        raise ValueError(NOT_READ.format(f)) from error


def described(x: Any, arrays: list[np.ndarray]) -> Any:
    """What JSON keeps of x: itself, or [kind, …]; a tensor's elements go to `arrays`."""
    if isinstance(x, Tensor):
        arrays.append(x._array)
        return ["parameter" if isinstance(x, Parameter) else "tensor", len(arrays) - 1, x._requires_grad]
    if isinstance(x, np.ndarray | np.generic) and x.dtype.kind in "biuf":
        arrays.append(np.asarray(x))
        return ["array" if isinstance(x, np.ndarray) else "number", len(arrays) - 1]
    if isinstance(x, dtypes.dtype):
        return ["dtype", x.name]
    if x is None or type(x) in (bool, int, float, str):
        return x
    for kind, type_ in CONTAINERS.items():
        if type(x) is type_:
            return [kind, [described(item, arrays) for item in (x.items() if isinstance(x, dict) else x)]]
    if isinstance(x, dict):  # such as a defaultdict
        return described(dict(x), arrays)
    raise TypeError(NOT_SAVED.format(type(x).__name__))


CONTAINERS: dict[str, Any] = {"dict": dict, "ordered": OrderedDict, "list": list, "tuple": tuple, "size": Size}


def rebuilt(x: Any, array: Any) -> Any:
    """What `described` was given."""
    if not isinstance(x, list):
        return x
    kind, content, *flag = x
    if kind in CONTAINERS:
        return CONTAINERS[kind](rebuilt(item, array) for item in content)
    if kind == "dtype":
        return dtypes.of_numpy(np.dtype(content))
    found = array(content)
    if kind in ("array", "number"):
        return found if kind == "array" else found[()]
    out = wrap(found if found.ndim else found[()])
    if kind == "parameter":
        return Parameter(out, bool(flag[0]))
    out._requires_grad = bool(flag[0])
    return out
