"""nbgrader's settings for the instructor on a hub: the course's own, and the exchange."""

import os

c = get_config()  # noqa: F821 - provided by the loader

load_subconfig("../../../nbgrader_config.py")  # noqa: F821 - provided by the loader
c.Exchange.root = os.environ["MINIGRAD_EXCHANGE"]
