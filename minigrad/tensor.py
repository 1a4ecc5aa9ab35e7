from __future__ import annotations
from typing import Any
import numpy as np

class Tensor:
    _requires_grad = False
    _grad = None
    grad_fn = None
    _accumulator = None
    __array_ufunc__ = None
    def accumulate(self, grad):
        if self._grad is None: self._grad = wrap(grad)
        else: self._grad._array = self._grad._array + grad
    def backward(self, gradient=None, retain_graph=False):
        from . import engine
        engine.run_backward(self.grad_fn, self._array.dtype.type(1), retain_graph)
    @property
    def grad(self): return self._grad

_new = object.__new__
def wrap(array):
    t = _new(Tensor)
    t._array = array
    t._versions = [0]
    return t
def tensor(v, requires_grad=False):
    t = wrap(np.float32(v)); t._requires_grad = requires_grad
    return t
