"""The file of a saved program: a zip whose every byte of content is accounted for.

A member `digests.json` lists all others with their size and SHA-256, and `signature` is an
HMAC of that list. Nothing is compressed, so that no member can be larger than the file.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

import numpy as np

from devproc.errors import BundleError
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.ir.dtypes import ALIGNMENT
from devproc.ir.weights.aligned import Bytes
from devproc.runtime.reading.typed_json import parse_json, read_as

DIGESTS, SIGNATURE = "digests.json", "signature"

BLOCK = 1 << 22
"""Bytes that have a SHA-256 of their own: blocks are hashed in threads."""

THREADS = 4
"""Threads that hash, at most: as many as memory feeds."""

SHORTEST_KEY = 16
"""Bytes of a key for signatures, at least."""

LARGEST_MEMBER = 1 << 28
"""Bytes of a member that is read at once: all but weights, which are mapped."""

_PURPOSE = b"devproc saved program\0"

_LOCAL_HEADER, _LONG_SIZES = 30, 20
"""Bytes in front of the name of a file of a zip, and of its sizes of 64 bits."""

_EXTRA, _ALIGNMENT_EXTRA = struct.Struct("<HH"), 0xD935
"""An extra field, and the kind of one that is padding."""

_ENCRYPTED = 1


@dataclass(frozen=True)
class Digest:
    """What is known of the content of a member."""

    size: int
    sha256: str
    """Of the SHA-256 digests of its blocks of `BLOCK` bytes, in order."""


@dataclass(frozen=True)
class DigestTable:
    """The content of `digests.json`."""

    members: Mapping[str, Digest]


class BundleFile:
    """An open saved program whose members are checked as they are read.

    With a `key`, only a file that was signed with it is opened. Raises BundleError for
    what is no whole saved program.
    """

    def __init__(self, path: Path, file: IO[bytes], key: bytes | None = None):
        self.path = path
        self._file = file
        try:
            self._zip = zipfile.ZipFile(file)
        # What a damaged file makes of the library is anything.
        except Exception as error:
            raise self._damaged(error) from error
        self._entries = self._checked_entries()
        if key is not None:
            self._check_signature(key)

    def _checked_entries(self) -> dict[str, zipfile.ZipInfo]:
        """The entries by name; nothing compressed or encrypted, nothing twice."""
        size = os.fstat(self._file.fileno()).st_size
        entries: dict[str, zipfile.ZipInfo] = {}
        for entry in self._zip.infolist():
            name = entry.filename
            if name in entries:
                raise self._damaged(f"it has two members '{name}'")
            plain = entry.compress_type == zipfile.ZIP_STORED
            if not plain or entry.flag_bits & _ENCRYPTED:
                raise self._damaged(f"member '{name}' is compressed or encrypted")
            if entry.file_size != entry.compress_size:
                raise self._damaged(f"member '{name}' has two sizes")
            entries[name] = entry
        if sum(entry.file_size for entry in entries.values()) > size:
            raise self._damaged("its members are larger than the file")
        return entries

    def _damaged(self, why: object) -> BundleError:
        return BundleError(
            f"{self.path} is not a whole saved program ({why}); save it again"
        )

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def namelist(self) -> list[str]:
        """The members that hold the program."""
        return [name for name in self._entries if name not in (DIGESTS, SIGNATURE)]

    def _check_signature(self, key: bytes) -> None:
        if SIGNATURE not in self._entries:
            raise BundleError(
                f"{self.path} is not signed, and a key was given: load it without a key "
                "if you trust where it comes from, or save it with one"
            )
        if not is_signature(self._read(SIGNATURE), self._read(DIGESTS), key):
            raise BundleError(
                f"{self.path} was signed with another key, or was changed since; nothing "
                "of it was read"
            )

    @lazy_property
    def _digests(self) -> Mapping[str, Digest]:
        """The list of members, which is that of the file."""
        data = parse_json(self._read(DIGESTS), f"{self.path}: {DIGESTS}")
        table = read_as(DigestTable, data, f"{self.path}: {DIGESTS}").members
        differing = sorted(set(table) ^ set(self.namelist()))
        if differing:
            raise self._damaged(
                f"{DIGESTS} and the zip differ in {', '.join(differing)}"
            )
        return table

    def _read(self, name: str) -> bytes:
        """A member, without a look at its digest."""
        entry = self._entries.get(name)
        if entry is None:
            raise self._damaged(f"it has no member '{name}'")
        if entry.file_size > LARGEST_MEMBER:
            raise self._damaged(f"member '{name}' has {entry.file_size} bytes")
        try:
            return self._zip.read(entry)
        # Headers are compared, and the whole content with its CRC.
        except Exception as error:
            raise self._damaged(f"{name}: {error}") from error

    def read_unchecked(self, name: str) -> bytes:
        """A member as it is: for a message on a file that has no digests."""
        return self._read(name)

    def read(self, name: str) -> bytes:
        """The content of a member, compared with its digest."""
        content = self._read(name)
        self._compare(name, content)
        return content

    def map(self, name: str, verify: bool) -> Bytes:
        """A member mapped into memory; with `verify` compared with its digest."""
        content = self._mapped(name)
        if verify:
            self._compare(name, content)
        elif self._digests[name].size != content.nbytes:
            raise self._damaged(f"{name} has another size")
        return content

    def _mapped(self, name: str) -> Bytes:
        entry = self._entries.get(name)
        if entry is None:
            raise self._damaged(f"it has no member '{name}'")
        try:
            # Looks at the entry's own header.
            self._zip.open(entry).close()
        except Exception as error:
            raise self._damaged(f"{name}: {error}") from error
        begin = self._content_begin(entry)
        if begin + entry.file_size > os.fstat(self._file.fileno()).st_size:
            raise self._damaged(f"{name} ends after the file")
        if not entry.file_size:
            return np.zeros(0, np.uint8)
        shape = (entry.file_size,)
        return np.asarray(np.memmap(self._file, np.uint8, "r", begin, shape))

    def _content_begin(self, entry: zipfile.ZipInfo) -> int:
        """Where the content of an uncompressed file of a zip begins."""
        self._file.seek(entry.header_offset + _LOCAL_HEADER - 4)
        name, extra = struct.unpack("<HH", self._file.read(4))
        return entry.header_offset + _LOCAL_HEADER + name + extra

    def _compare(self, name: str, content: Bytes | bytes) -> None:
        found, wanted = digest_of(content), self._digests[name]
        if found != wanted:
            raise BundleError(
                f"{self.path} is damaged: '{name}' is not what was saved; restore the "
                "file or save the program again"
            )

    def table(self) -> DigestTable:
        """The digests of all members, as they are."""
        return DigestTable({n: digest_of(self._mapped(n)) for n in self.namelist()})


def seal(path: Path, file: IO[bytes], key: bytes | None) -> None:
    """Adds digests to a zip whose members are written, and a signature with a `key`.

    They are those of what lies in the file.
    """
    file.flush()
    table = BundleFile(path, file).table()
    text = json.dumps(asdict(table)).encode()
    with zipfile.ZipFile(file, "a") as bundle:
        # Where it cannot read the members, the library begins an archive without them.
        if len(bundle.infolist()) != len(table.members):
            raise OSError("what was written cannot be read again")
        bundle.writestr(DIGESTS, text)
        if key is not None:
            bundle.writestr(SIGNATURE, signature_of(text, key))


def open_aligned(bundle: zipfile.ZipFile, name: str) -> IO[bytes]:
    """A file of the zip, to write, whose content begins at a cache line."""
    entry = zipfile.ZipInfo(name)
    begin = bundle.start_dir + _LOCAL_HEADER + len(name) + _LONG_SIZES + _EXTRA.size
    padding = -begin % ALIGNMENT
    entry.extra = _EXTRA.pack(_ALIGNMENT_EXTRA, padding) + bytes(padding)
    return bundle.open(entry, "w", force_zip64=True)


def check_key(key: object) -> None:
    """Raises BundleError for what is no key."""
    if not isinstance(key, bytes) or len(key) < SHORTEST_KEY:
        raise BundleError(
            f"the key of a signature must be {SHORTEST_KEY} bytes or more, such as those "
            "of secrets.token_bytes(32)"
        )


def signature_of(digests: bytes, key: bytes) -> bytes:
    """The HMAC-SHA256 of the list of digests, as hexadecimal text."""
    import hmac  # for signed files alone

    return hmac.new(key, _PURPOSE + digests, hashlib.sha256).hexdigest().encode()


def is_signature(found: bytes, digests: bytes, key: bytes) -> bool:
    """Whether it is that of the key, in a time that does not tell how much of it is."""
    import hmac

    return hmac.compare_digest(found, signature_of(digests, key))


def digest_of(content: Bytes | bytes) -> Digest:
    """Size and hash of a content; several threads read what has several blocks."""
    view = content.data if isinstance(content, np.ndarray) else memoryview(content)
    blocks = [view[begin : begin + BLOCK] for begin in range(0, len(view), BLOCK)]
    if len(blocks) < 2:
        digests = [_sha256(block) for block in blocks]
    else:
        # Most loads do without it.
        from devproc.ir.concurrency.worker_pool import WorkerPool

        with WorkerPool(THREADS) as pool:
            digests = list(pool.map(_sha256, blocks))
    return Digest(len(view), hashlib.sha256(b"".join(digests)).hexdigest())


def _sha256(block: memoryview) -> bytes:
    return hashlib.sha256(block).digest()
