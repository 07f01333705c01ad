"""`python -m falsework`: the command line, where its script is not on the path."""

import sys

from falsework.cli import main

sys.exit(main())
