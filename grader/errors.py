"""What a person is told when something foreseeable went wrong."""


class CourseError(Exception):
    """Something about the course, a submission or the command line is not as it should be.

    The message is one sentence that says what happened, where, and what to do next; the command line
    prints it without a traceback.
    """
