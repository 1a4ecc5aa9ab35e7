"""`python -m grader`, and the command `grader`."""

import sys

from . import light  # noqa: F401 - first


def main() -> None:
    """Run the command line; where a package is missing that it needs, say so, or let the doctor look."""
    try:
        from . import cli
    except ImportError as error:
        from .classroom import doctor

        if sys.argv[1:2] == ["doctor"]:
            sys.exit(doctor.main())
        print(
            f"grader: {error.name or 'a package'} cannot be imported ({error}). The grader needs the course: install "
            "it with `pip install 'minigrad[course]'`, and run `python -m grader doctor` where that does not help."
        )
        sys.exit(2)
    cli.main()


if __name__ == "__main__":
    main()
