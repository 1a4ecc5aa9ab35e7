"""Imported first by the grader's own processes: they start a second sooner, and end half a second sooner.

jsonschema, on which nbformat stands, imports `rfc3987_syntax` where it is installed, and that builds some forty
parsers, for a format that no notebook has (https://github.com/python-jsonschema/jsonschema/issues/1428). None in its
place is Python's way to say that a module cannot be imported; jsonschema then does without.
"""

import atexit
import gc
import sys

sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # None stops the import

# What is left at the end goes with the process: looking through all of it for garbage would take half a second.
atexit.register(gc.freeze)
