"""What Python's and NumPy's errors mean, in plain words: a sentence for those that learners meet most."""

from __future__ import annotations

import re

# Of the error's class and its message, "class: message": what matches first is said. {1} is the first group.
MEANINGS: list[tuple[str, str]] = [
    (r"^NameError: name '(\w+)' is not defined", "Nothing is called {1} there: is it spelt as where it was made?"),
    (r"^UnboundLocalError: .*'(\w+)'", "{1} is read before this function has given it a value."),
    (
        r"missing \d+ required (?:positional|keyword-only) arguments?: (.+)$",
        "Something is called without {1}. If it is yours, does its first line ask for more than it is handed?",
    ),
    (
        r"takes (?:from )?(\d+).* positional arguments? but (\d+) (?:was|were) given",
        "It is handed {2} values, and its first line names {1}; in a class, self is one of them.",
    ),
    (
        r"^TypeError: (\w+)\(\) got an unexpected keyword argument 'out'",
        "NumPy's {1} takes arrays, and no tensor: call the tensor's own, .{1}().",
    ),
    (
        r"^TypeError: _\w+\(\) got an unexpected keyword argument '(?:dim|keepdim)'",
        "NumPy's arrays say axis and keepdims where tensors say dim and keepdim.",
    ),
    (
        r"(\w+)\(\) got an unexpected keyword argument '(\w+)'",
        "{1}, as it is called there, takes no argument {2}: look at its first line, or at its wrapper's.",
    ),
    (
        r"does not support ufuncs",
        "NumPy's functions take arrays, and no tensor: use the tensor's own methods, such as .relu() or .exp().",
    ),
    (
        r"^TypeError: (?:(\w+)Backward0|(\w+))\(\) takes no arguments",
        "{1}{2}(…) makes an object of the class: an operation is a method of tensors, as in x.relu().",
    ),
    (
        r"must be Tensor(?: or number)?, not (?!numpy|int|float|bool|str|list|None)\w",
        "No tensor comes there. An operation that is a class of yours is a method of tensors: x.relu(), say.",
    ),
    (
        r"object\.__init__\(\) takes exactly one argument",
        "The `__init__` of the class above takes no values: leave the call of super().__init__ out, or hand it none.",
    ),
    (
        r"NoneType' object|for .+: '.*NoneType|of type 'NoneType'",
        "A value there is None. If it may be None, ask that before it is used; if not, look where it comes from.",
    ),
    (
        r"^AttributeError: 'tuple' object has no attribute '(\w+)'",
        "A tuple has no {1}. If one of its elements has, take it apart first, as in `one, other = …`.",
    ),
    (
        r"^AttributeError: '(?!Tensor')([A-Z]\w*[a-z])' object has no attribute '([a-z]|out|grad)'",
        "Nothing has set `{2}` on this {1}. A rule gets what its first line names: backward_x(self, grad, {2}).",
    ),
    (
        r"^AttributeError: '(?!Tensor'|Parameter')([A-Z]\w*[a-z])' object has no attribute '(\w+)'",
        "Nothing has set `{2}` on this {1} when it is read. Is it spelt as where it is set, and is that run first?",
    ),
    (
        r"^AttributeError: (?:property '(\w+)' of '\w+' object has no setter|can't set attribute '(\w+)')",
        "{1}{2} can be read, and not be set: it only shows what is kept under another name.",
    ),
    (
        r"^AttributeError: 'numpy\.\w+' object has no attribute '(grad|grad_fn|requires_grad|backward|detach|numpy)'",
        "What comes there is NumPy's, an array or a number, and has no {1}: tensors have.",
    ),
    (
        r"^AttributeError: '(?:int|float|bool)' object has no attribute '(\w+)'",
        "A plain number comes there, which has no {1}. May numbers come, or is another value meant?",
    ),
    (
        r"^AttributeError: '([\w.]+)' object has no attribute '(\w+)'",
        "A value there is of the kind {1}, which has no {2}.",
    ),
    (
        r"\.backward_\w+ returned .*, of type (?:int|float);",
        "A rule hands on grad, what arrived, times a slope. Is grad left out, or is it no array when it arrives?",
    ),
    (
        r"\.backward_\w+ returned .*, of type (?:tuple|list);",
        "A rule returns one gradient, that of the input in its name: the other inputs have rules of their own.",
    ),
    (
        r"^AttributeError: module '([\w.]+)' has no attribute '(\w+)'",
        "{1} has nothing called {2}: look at the spelling.",
    ),
    (
        r"^ValueError: (?:operands could not be|shape mismatch).*?(\([\d,]*\))[^(]*(\([\d,]*\))",
        "The shapes {1} and {2} do not fit each other, element by element.",
    ),
    (
        r"^ValueError: matmul: .*size (\d+) is different from (\d+)",
        "The two lengths that a matrix product sums over differ, {1} and {2}: is one of the two to be transposed?",
    ),
    (
        r"shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)",
        "Matrices of {1} by {2} and of {3} by {4} meet at {2} and {3}, which differ: is one to be transposed?",
    ),
    (
        r"invalid gradient: got (\[[\d, ]*\]) but expected shape compatible with (\[[\d, ]*\])",
        "The rule's gradient has the shape {1} where its input has {2}: each input gets one of its own shape.",
    ),
    (r"^ValueError: matmul: .*not have enough dimensions", "A matrix product takes no single number."),
    (
        r"'(?:method-wrapper|method|function|builtin_function_or_method)'",
        "A function itself stands there, and not what a call of it returns.",
    ),
    (
        r"unsupported operand type\(s\) for (\S+): '(?!Tensor'|Parameter'|NoneType')([A-Z]\w*[a-z])' and ",
        "A {2} itself stands before the {1}. A method is handed its object first: is self missing in its first line?",
    ),
    (
        r"unsupported operand type\(s\) for @: '(?:numpy\.float|float|int)",
        "`@` is the product of matrices, and takes no single number: element by element it is `*`.",
    ),
    (
        r"unsupported operand type\(s\) for (\S+): '([\w.]+)' and '([\w.]+)'",
        "Python knows no `{1}` between a value of the kind {2} and one of the kind {3}.",
    ),
    (r"^NotBuiltYet: unbroadcast", "A rule of yours returns a gradient of another shape than its input's."),
    (r"^NotBuiltYet", "Do without it: what comes later cannot be used yet."),
    (r"need at least one array", "There is nothing to put together: the list is empty."),
    (r"^ValueError: cannot reshape array of size 1 ", "A single number cannot take that shape."),
    (
        r"^ValueError: cannot reshape array of size 0 into shape \((?:\d+,)*0[,)]",
        "Beside a length of 0, a -1 cannot be worked out: any length would do there.",
    ),
    (r"^ValueError: cannot reshape array of size (\d+)", "An array of {1} numbers cannot take that shape."),
    (r"^ValueError: not enough values to unpack \(expected (\d+), got (\d+)", "{1} names stand where {2} values come."),
    (r"^ValueError: too many values to unpack \(expected (\d+)", "{1} names stand where more values come."),
    (
        r"truth value of an array|value of Tensor with more than one",
        "Several elements are asked at once whether they are true, as by `if`, `not`, `and` or `or`. Say what you ask: "
        "whether there is anything (`is None`), or something of each element (np.where).",
    ),
    (
        r"^RecursionError",
        "A function calls itself without an end, or is called again by what it calls: which call leads back to it?",
    ),
    (
        r"found element of type float",
        "A length is an integer, and a float comes there. Is it made by `/`, even of 6 / 2? `//` keeps integers.",
    ),
    (
        r"batch2 tensor to be: \[\d+, (\d+)\] but got: \[\d+, (\d+)",
        "The lengths that a matrix product sums over differ, {1} and {2}: `.mT` transposes the last two axes alone.",
    ),
    (
        r"only supports boolean masks",
        "A mask is a comparison, such as `a == 0`: True where a number is to be replaced.",
    ),
    (
        r"inhomogeneous shape",
        "Arrays of several shapes are taken for one: is there a pair, to be taken apart first, as in `a, b = …`?",
    ),
    (
        r"matmul need to be at least 1D",
        "`@` takes no single number: multiply, and then sum, which goes with any shape.",
    ),
    (
        r"^RuntimeError: .*differentiated Tensor.* appears to not have been used",
        "No gradient arrived at that tensor: no way leads to it, or the pass ended before it. Does something last from "
        "one call to the next?",
    ),
    (r"^RuntimeError: Mismatch in shape: grad_output", "What is sent back has to have the shape of the output."),
    (
        r"attempting to assign a gradient with dtype",
        "A gradient has the dtype of its tensor: make it of that one, or write into the gradient that is there.",
    ),
    (r"^ZeroDivisionError", "A number is divided by 0 there."),
    (
        r"^IndexError: list index out of range",
        "A place is asked for that the list does not have: its last is its length minus 1, and an empty list has none.",
    ),
    (
        r"^IndexError: tuple index out of range",
        "A place is asked for that the tuple does not have: an empty one, as the shape of a single number, has none.",
    ),
    (r"^IndexError: .*too many indices", "It is asked for more dimensions than the array has."),
    (
        r"^(?:numpy\.exceptions\.)?AxisError: axis (-?\d+) .* dimension 0",
        "Axis {1} is asked of a single number, which has no axes.",
    ),
    (
        r"^(?:numpy\.exceptions\.)?AxisError: axis (-?\d+) .* dimension 1$",
        "Axis {1} is asked of an array that has one axis only: axis 0.",
    ),
    (
        r"^(?:numpy\.exceptions\.)?AxisError: axis (-?\d+) .* dimension (\d+)",
        "Axis {1} is asked of an array that has {2} axes, counted from 0.",
    ),
    (
        r"iteration over a 0-d (?:array|tensor)",
        "A single number has no elements to go through, as `for` and Python's sum() do.",
    ),
    (
        r"cannot unpack non-iterable ([\w.]+) object",
        "Several names stand where one value comes, of the kind {1}: there is nothing to take apart.",
    ),
    (r"len\(\) of (?:a 0-d tensor|unsized object)", "A single number has no length."),
    (r"bitwise_xor", "`^` is not a power in Python; that is written `**`."),
    (r"^KeyError: (.+)$", "The dictionary has no key {1}."),
    (
        r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)",
        "The shapes do not fit each other, element by element: {1} stands against {2}.",
    ),
    (
        r"exceptions must derive from BaseException",
        "What is raised there is no error: write RuntimeError(…) around it.",
    ),
    (
        r"'(\w+)' object is not callable",
        "Round brackets call what stands before them, a {1}, which is no function: is an operator missing?",
    ),
    (r"'([\w.]+)' object is not (?:subscriptable|iterable)", "A value of the kind {1} has no elements to take."),
    (
        r"'list' object cannot be interpreted as an integer",
        "An integer is needed there, and comes as list. Several axes go to NumPy as a tuple: tuple(…).",
    ),
    (r"'([\w.]+)' object cannot be interpreted as an integer", "An integer is needed there, and comes as {1}."),
    (
        r"^TypeError: (?:int|float)\(\) argument must be .*, not '(\w+)'",
        "One number is needed there, and comes as {1}.",
    ),
    (
        r"'[<>]=?' not supported between instances of '(\w+)' and '(\w+)'",
        "Nothing says which is the smaller of the two, of the kinds {1} and {2}. A heap, min() and sorted() compare "
        "whole entries: let a number come first in each.",
    ),
    (r"can't convert|only (?:length-1|0-dimensional|one element)", "One number is needed there, and several come."),
    (r"unhashable type: '([\w.]+)'", "A value of the kind {1} cannot be in a set, or a dictionary's key."),
    (
        r"^RuntimeError: a (?:leaf Variable that requires grad is being used in an in-place|view of a leaf Variable)",
        "A leaf that requires a gradient is changed in place: compute a new value, or, to update the leaf itself, "
        "do it under no_grad.",
    ),
    (
        r"^RuntimeError: .*does not require grad and does not have a grad_fn",
        "That value has no history: nothing that requires a gradient led to it, or nothing was recorded on the way.",
    ),
    (
        r"^RuntimeError: grad can be implicitly created only for scalar",
        "Several numbers are asked to go backward: sum them, or hand it a gradient.",
    ),
    (
        r"^RuntimeError: .*backward through the graph a second time",
        "A node is asked for what it saved, and that is freed: by an earlier backward pass, or earlier in this one.",
    ),
    (
        r"^RuntimeError: .*modified by an inplace operation",
        "It says that a value which a rule needs was changed after it had been saved.",
    ),
    (
        r"call numpy\(\) on Tensor that requires grad",
        "NumPy keeps no history: use the tensor's own operations, or detach where numbers are enough.",
    ),
]


def in_plain_words(kind: str, message: str) -> str:
    """One sentence about what an error means, with a space before it; "" for one that says enough, or that is rare."""
    for pattern, meaning in MEANINGS:
        if found := re.search(pattern, f"{kind}: {message}"):
            return " " + re.sub(r"\{(\d)\}", lambda n: found.group(int(n.group(1))) or "", meaning)
    return ""
