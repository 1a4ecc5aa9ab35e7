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
        print(f"grader: {error.name or 'a package'} cannot be imported ({error}): run `python -m grader doctor`.")
        sys.exit(2)
    cli.main()


if __name__ == "__main__":
    main()
