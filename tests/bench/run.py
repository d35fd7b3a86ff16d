"""Measures reading and writing under load, and says which of the demanded limits are met.

    DATABASE_URL=sqlite:////some/folder/bench.sqlite3 .venv/bin/python tests/bench/run.py

Leaves with 1 when a limit is missed and with 2 when nothing could be measured, as in a database that is not its own.
Compare ratios, never requests per second: those say more about the machine than about the product.
"""

import importlib
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    if not os.environ.get("DATABASE_URL"):
        print("DATABASE_URL says which database the bench may empty and fill; use `make bench`.", file=sys.stderr)
        return 2
    _surroundings()
    # What gunicorn serves is what is measured here too, with all that it sets for its process.
    importlib.import_module("pinparty.wsgi")
    measure = importlib.import_module("tests.bench.measure")
    return int(measure.main())


def _surroundings() -> None:
    """A shell set up for a show must not reach the bench."""
    for name in ("CACHE_URL", "EMAIL_URL", "CSRF_TRUSTED_ORIGINS", "TIME_ZONE", "HTTPS", "DEBUG"):
        os.environ.pop(name, None)
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.bench.settings"
    os.environ["SECRET_KEY"] = "of-the-bench-alone-which-holds-no-secrets-at-all"
    sys.path[0] = str(ROOT)


if __name__ == "__main__":
    sys.exit(main())
