"""The core: tensors, the operations that link them, and the traversal that differentiates. NumPy is all it needs.

Reading order: tensor, function, engine, unbroadcast, grad_mode. The operations are in `rules/`.
"""
