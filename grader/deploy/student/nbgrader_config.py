"""nbgrader's settings for students on a hub: where chapters are fetched from and handed in."""

import os

c = get_config()  # noqa: F821 - provided by the loader

c.CourseDirectory.course_id = "minigrad"
c.Exchange.root = os.environ["MINIGRAD_EXCHANGE"]
