"""`python -m falsework.cli`: the command line without an installed script."""

import sys

from falsework.cli import main

sys.exit(main())
