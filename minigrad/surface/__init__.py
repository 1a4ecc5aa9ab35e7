"""torch's interface of the core and the rules: signatures, promotion, refusals, views, names, printing.

A reader of the engine can skip it. Importing it gives `Tensor` its methods and operators, and `Function` torch's
answers to what the core leaves open: odd operands, other dtypes, errors, hooks.
"""
