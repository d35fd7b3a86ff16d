"""The product's own settings with the bench's addresses added, and static files in a folder of their own."""

from pinparty.settings import *  # noqa: F403 - the settings of the product, all of them
from pinparty.settings import LOGGING, VAR_DIR

ROOT_URLCONF = "tests.bench.urls"
STATIC_ROOT = VAR_DIR / "bench-static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
LOGGING = {**LOGGING, "root": {"handlers": ["stderr"], "level": "WARNING"}}
