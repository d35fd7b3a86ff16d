"""Faults in the database settings that would show only on a busy day, or after a power cut.

Measured: with DEFERRED three of four writing processes die with "database is locked". SQLite's own documentation: with
`synchronous` NORMAL a power cut may take scores that were already acknowledged, and with `mmap_size` a disk fault
kills the process.
"""

import re
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

SQLITE = "django.db.backends.sqlite3"
PRAGMA = re.compile(r"PRAGMA\s+(?:\w+\.)?(\w+)\s*(?:=\s*|\(\s*)([-\w]+)", re.IGNORECASE)


def check_databases(**kwargs: Any) -> list[CheckMessage]:
    return database_faults(settings.DATABASES)


def database_faults(databases: Mapping[str, Mapping[str, Any]]) -> list[CheckMessage]:
    faults: list[CheckMessage] = []
    for alias, database in databases.items():
        if database.get("ATOMIC_REQUESTS"):
            faults.append(
                Error(
                    f"Database '{alias}' has ATOMIC_REQUESTS on, so every page would wait its turn as a writer.",
                    hint="Leave it out: each service opens the one transaction it needs.",
                    id="pinparty.E001",
                )
            )
        if database["ENGINE"] == SQLITE:
            faults += _sqlite_faults(alias, database.get("OPTIONS", {}))
    return faults


def _sqlite_faults(alias: str, options: Mapping[str, Any]) -> list[CheckMessage]:
    faults: list[CheckMessage] = []
    mode = str(options.get("transaction_mode") or "DEFERRED").upper()
    if mode not in {"IMMEDIATE", "EXCLUSIVE"}:
        faults.append(
            Error(
                f"SQLite database '{alias}' uses transaction_mode {mode}: two writers at once would lose one score.",
                hint="Set transaction_mode to IMMEDIATE.",
                id="pinparty.E002",
            )
        )
    pragmas = _pragmas(options.get("init_command") or "")
    synchronous = pragmas.get("synchronous", "not set")
    if synchronous not in {"FULL", "EXTRA", "2", "3"}:
        faults.append(
            Error(
                f"SQLite database '{alias}' has synchronous {synchronous}: a power cut could take recorded scores.",
                hint="Put PRAGMA synchronous=FULL into init_command.",
                id="pinparty.E003",
            )
        )
    if pragmas.get("mmap_size", "0") != "0":
        faults.append(
            Error(
                f"SQLite database '{alias}' has mmap_size {pragmas['mmap_size']}: a disk fault would kill the server.",
                hint="Leave PRAGMA mmap_size out of init_command.",
                id="pinparty.E004",
            )
        )
    if pragmas.get("journal_mode") != "WAL":
        faults.append(
            Error(
                f"SQLite database '{alias}' does not use WAL: readers would wait for every score that is written.",
                hint="Put PRAGMA journal_mode=WAL into init_command.",
                id="pinparty.E005",
            )
        )
    return faults


def _pragmas(init_command: str) -> dict[str, str]:
    """The last word counts, as it does in SQLite."""
    return {name.lower(): value.upper() for name, value in PRAGMA.findall(init_command)}
