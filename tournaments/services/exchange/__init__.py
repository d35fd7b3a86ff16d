"""The tournament folder: read, loaded, written, and an empty one to begin with."""

from tournaments.services.exchange.blank import template
from tournaments.services.exchange.faults import Fault, Faults
from tournaments.services.exchange.folder import Folder, known_files, read_folder
from tournaments.services.exchange.loading import Report, import_files, load
from tournaments.services.exchange.writing import dump

__all__ = [
    "Fault",
    "Faults",
    "Folder",
    "Report",
    "dump",
    "import_files",
    "known_files",
    "load",
    "read_folder",
    "template",
]
