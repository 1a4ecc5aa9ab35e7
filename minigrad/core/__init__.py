"""The core: tensors, the operations that link them, and the traversal that differentiates. NumPy is all it needs.

Reading order: tensor, function, engine; then unbroadcast and grad_mode. `rules/` holds the operations; `surface/`
makes torch's interface of both, and the core does not know it.
"""
