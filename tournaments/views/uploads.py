"""Uploaded files as the files of one tournament folder, whether chosen one by one or packed in a zip file.

The limits are ours: a show of 5,000 entries with all their scores takes less than 2 MB.
"""

import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath

from django.core.files.uploadedfile import UploadedFile

from tournaments.services.exchange import Fault, Faults, known_files

MOST_BYTES = 20_000_000
MOST_FILES = 100
HEADING = known_files()[0]


def folder_files(uploads: Iterable[UploadedFile]) -> dict[str, bytes]:
    """Names and contents; raises `Faults` when they are too large, too many, or cannot be unpacked."""
    chosen = list(uploads)
    if len(chosen) > MOST_FILES or sum(upload.size or 0 for upload in chosen) > MOST_BYTES:
        raise Faults([_too_much("the files chosen")])
    packed = [upload for upload in chosen if (upload.name or "").lower().endswith(".zip")]
    if packed and len(chosen) > 1:
        raise Faults([Fault(packed[0].name or "", None, "Choose one zip file, or files that are not packed.")])
    if packed:
        return _unpacked(packed[0])
    twice = [name for name, count in Counter(upload.name or "" for upload in chosen).items() if count > 1]
    if twice:
        raise Faults([Fault(name, None, "The file was chosen twice.") for name in twice])
    return {upload.name or "": upload.read() for upload in chosen}


def _unpacked(upload: UploadedFile) -> dict[str, bytes]:
    name = upload.name or ""
    try:
        with zipfile.ZipFile(upload) as archive:
            return _folder_in(archive, name)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, UnicodeDecodeError) as fault:
        # RuntimeError is how zipfile says that a password is needed, or a way of packing it does not know.
        reason = f"The zip file cannot be unpacked ({fault}); pack the folder again without a password."
        raise Faults([Fault(name, None, reason)]) from fault


def _folder_in(archive: zipfile.ZipFile, name: str) -> dict[str, bytes]:
    members = [info for info in archive.infolist() if not info.is_dir() and "__MACOSX" not in info.filename]
    if len(members) > MOST_FILES:
        raise Faults([_too_much(name)])
    where = _folder(members, name)
    files: dict[str, bytes] = {}
    left = MOST_BYTES
    for info in members:
        path = _path(info)
        if path.parent != where:
            continue
        if path.name in files:
            raise Faults([Fault(path.name, None, f"{name} holds this file twice.")])
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Faults([Fault(path.name, None, f"{name} packs it in an unusual way; make an ordinary zip file.")])
        # What a zip file says about its sizes may be a lie; only so much is ever unpacked.
        with archive.open(info) as packed:
            files[path.name] = packed.read(left + 1)
        left -= len(files[path.name])
        if left < 0:
            raise Faults([_too_much(name)])
    return files


def _folder(members: list[zipfile.ZipInfo], name: str) -> PurePosixPath:
    """The folder inside that holds the tournament: the one with its heading, or else the outermost."""
    paths = [_path(info) for info in members]
    folders = {path.parent for path in paths if path.name == HEADING} or {path.parent for path in paths}
    if not folders:
        raise Faults([Fault(name, None, "The zip file is empty.")])
    depth = min(len(folder.parts) for folder in folders)
    outermost = sorted(folder for folder in folders if len(folder.parts) == depth)
    if len(outermost) > 1:
        names = ", ".join(str(folder) for folder in outermost)
        raise Faults([Fault(name, None, f"It holds several tournament folders ({names}); import one at a time.")])
    return outermost[0]


def _path(info: zipfile.ZipInfo) -> PurePosixPath:
    # Some programs on Windows write their own kind of slash.
    return PurePosixPath(info.filename.replace("\\", "/"))


def _too_much(name: str) -> Fault:
    most = f"{MOST_FILES} files and {MOST_BYTES // 1_000_000} MB"
    return Fault(name, None, f"That is more than a tournament folder can be: at most {most}.")
