"""`python -m falsework`, and the script `falsework`: the command line, supervised from its first moment."""

import sys

from falsework.supervision import supervised


def main() -> int:
    return supervised(_command_line)


def _command_line() -> int:
    from falsework.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(main())
