"""python -m stcc."""

import sys

from stcc.main import main

if __name__ == "__main__":
    sys.exit(main())
