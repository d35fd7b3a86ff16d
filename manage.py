#!/usr/bin/env python
"""Django's command line for pinparty."""

import os
import secrets
import sys
from pathlib import Path

SECRET_KEY_FILE = Path(__file__).resolve().parent / "var" / "secret-key"


def keep_secret_key() -> None:
    """Make a key of this copy's own once, so that a fresh clone works without a word of set-up."""
    if os.environ.get("SECRET_KEY"):
        return
    try:
        SECRET_KEY_FILE.parent.mkdir(exist_ok=True)
        descriptor = os.open(SECRET_KEY_FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:  # made before, or nothing can be written here: then the settings say what is missing
        return
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(50))


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pinparty.settings")
    try:
        from django.core.management import execute_from_command_line  # lazy, to say what to do when it is missing
    except ImportError:
        sys.exit("Django is not installed here. Run `make install`, then use .venv/bin/python manage.py.")
    keep_secret_key()
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
