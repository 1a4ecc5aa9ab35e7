"""What IPython runs first in a browser's kernel, among the notebook's names: none of its own stays there."""

import sys

sys.path.append("/drive/course")

import in_browser  # type: ignore[import-not-found]  # noqa: E402

in_browser.start(get_ipython())  # type: ignore[name-defined]  # noqa: F821
del sys, in_browser
