"""The file of a saved program: a zip whose every byte of content is accounted for.

A member `digests.json` lists all others with their size and SHA-256, and `signature` is an
HMAC of that list. Nothing is compressed, so that no member can be larger than the file.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import struct
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, cast

import numpy as np

from devproc.errors import BundleError
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.ir.dtypes import ALIGNMENT
from devproc.ir.weights.aligned import Bytes, aligned_bytes
from devproc.runtime.reading.typed_json import parse_json, read_as

DIGESTS, SIGNATURE = "digests.json", "signature"

BLOCK = 1 << 22
"""Bytes of a block; each block has its own SHA-256, and threads hash blocks."""

THREADS = 4
"""Threads that hash, at most: more would wait for memory."""

SHORTEST_KEY = 16
"""Fewest bytes of a key for signatures."""

LARGEST_MEMBER = 1 << 28
"""Most bytes of a member that is read, not mapped: any but the weights."""

_PURPOSE = b"devproc saved program\0"

_LOCAL_HEADER, _LONG_SIZES = 30, 20
"""Bytes of a member's header before its name, and of its 64-bit sizes."""

_EXTRA, _ALIGNMENT_EXTRA = struct.Struct("<HH"), 0xD935
"""The header of an extra field, and the kind of field that is padding."""

_ENCRYPTED = 1


@dataclass(frozen=True)
class Digest:
    """Size and hash of the content of a member."""

    size: int
    sha256: str
    """SHA-256 of the SHA-256 digests of its blocks of `BLOCK` bytes, in order."""


@dataclass(frozen=True)
class DigestTable:
    """The content of `digests.json`."""

    members: Mapping[str, Digest]


class BundleFile:
    """An open saved program whose members are checked as they are read.

    With a `key`, only a file signed with it is opened. Raises BundleError for a damaged
    file.
    """

    def __init__(self, path: Path, file: IO[bytes], key: bytes | None = None):
        self.path = path
        self._file = file
        try:
            self._zip = zipfile.ZipFile(file)
        # The library may raise anything for a damaged file.
        except Exception as error:
            raise self._damaged(error) from error
        self._entries = self._checked_entries()
        if key is not None:
            self._check_signature(key)

    def _checked_entries(self) -> dict[str, zipfile.ZipInfo]:
        """The entries by name; none compressed, encrypted or duplicate."""
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
        found, digests = map(self.read_unchecked, (SIGNATURE, DIGESTS))
        if not is_signature(found, digests, key):
            raise BundleError(
                f"{self.path} was signed with another key, or was changed since; nothing "
                "of it was read"
            )

    @lazy_property
    def _digests(self) -> Mapping[str, Digest]:
        """The digests by member; raises BundleError unless they are those of the zip."""
        data = parse_json(self.read_unchecked(DIGESTS), f"{self.path}: {DIGESTS}")
        table = read_as(DigestTable, data, f"{self.path}: {DIGESTS}").members
        differing = sorted(set(table) ^ set(self.namelist()))
        if differing:
            raise self._damaged(
                f"{DIGESTS} and the zip differ in {', '.join(differing)}"
            )
        return table

    def _entry(self, name: str) -> zipfile.ZipInfo:
        entry = self._entries.get(name)
        if entry is None:
            raise self._damaged(f"it has no member '{name}'")
        return entry

    def read_unchecked(self, name: str) -> bytes:
        """The content of a member, not compared with its digest."""
        entry = self._entry(name)
        if entry.file_size > LARGEST_MEMBER:
            raise self._damaged(f"member '{name}' has {entry.file_size} bytes")
        try:
            return self._zip.read(entry)
        # The library compares the headers, and the content with its CRC.
        except Exception as error:
            raise self._damaged(f"{name}: {error}") from error

    def read(self, name: str) -> bytes:
        """The content of a member, compared with its digest."""
        content = self.read_unchecked(name)
        self._compare(name, content)
        return content

    def map(self, name: str, verify: bool) -> Bytes:
        """A member mapped into memory, and compared with its digest if `verify` is set."""
        return self._checked(name, self._mapped(name), verify)

    def read_aligned(self, name: str, verify: bool) -> Bytes:
        """The same, read into memory of its own: that of more than 4 MB is in huge pages,
        for which NumPy asks the system. A processor reads those faster than a mapped file,
        whose pages of 4 KB each need a translation."""
        source = self._mapped(name)
        content = aligned_bytes(source.nbytes)
        self._file.seek(self._content_begin(self._entry(name)))
        # A read may end early: no more than 2 GB at once on Linux.
        view, done = content.data, 0
        while done < len(view):
            count = cast(io.BufferedReader, self._file).readinto(view[done:])
            if not count:
                raise self._damaged(f"{name} ends after the file")
            done += count
        return self._checked(name, content, verify)

    def _checked(self, name: str, content: Bytes, verify: bool) -> Bytes:
        if verify:
            self._compare(name, content)
        elif self._digests[name].size != content.nbytes:
            raise self._damaged(f"{name} has another size")
        return content

    def _mapped(self, name: str) -> Bytes:
        entry = self._entry(name)
        try:
            # Compares the entry with its own header.
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
        """Offset of the content of an uncompressed member."""
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
        """The digests of all members as they are in the file."""
        return DigestTable({n: digest_of(self._mapped(n)) for n in self.namelist()})


def seal(path: Path, file: IO[bytes], key: bytes | None) -> None:
    """Adds the digests to a complete zip, and a signature if there is a `key`.

    They are computed from the file as it was written.
    """
    file.flush()
    table = BundleFile(path, file).table()
    text = json.dumps(asdict(table)).encode()
    with zipfile.ZipFile(file, "a") as bundle:
        # If it cannot read the members, the library starts a new archive.
        if len(bundle.infolist()) != len(table.members):
            raise OSError("what was written cannot be read again")
        bundle.writestr(DIGESTS, text)
        if key is not None:
            bundle.writestr(SIGNATURE, signature_of(text, key))


def open_aligned(bundle: zipfile.ZipFile, name: str) -> IO[bytes]:
    """Opens a member for writing whose content begins at a cache line."""
    entry = zipfile.ZipInfo(name)
    begin = bundle.start_dir + _LOCAL_HEADER + len(name) + _LONG_SIZES + _EXTRA.size
    padding = -begin % ALIGNMENT
    entry.extra = _EXTRA.pack(_ALIGNMENT_EXTRA, padding) + bytes(padding)
    return bundle.open(entry, "w", force_zip64=True)


def check_key(key: object) -> None:
    """Raises BundleError for anything that is not a key."""
    if not isinstance(key, bytes) or len(key) < SHORTEST_KEY:
        raise BundleError(
            f"the key of a signature must be {SHORTEST_KEY} bytes or more, such as those "
            "of secrets.token_bytes(32)"
        )


def signature_of(digests: bytes, key: bytes) -> bytes:
    """The HMAC-SHA256 of the list of digests, as hexadecimal text."""
    import hmac  # only for signed files

    return hmac.new(key, _PURPOSE + digests, hashlib.sha256).hexdigest().encode()


def is_signature(found: bytes, digests: bytes, key: bytes) -> bool:
    """Whether a signature is that of the key, compared in constant time."""
    import hmac

    return hmac.compare_digest(found, signature_of(digests, key))


def digest_of(content: Bytes | bytes) -> Digest:
    """Size and hash of some content; several threads hash several blocks."""
    view = content.data if isinstance(content, np.ndarray) else memoryview(content)
    blocks = [view[begin : begin + BLOCK] for begin in range(0, len(view), BLOCK)]
    if len(blocks) < 2:
        digests = list(map(_sha256, blocks))
    else:
        # Most loads do not need it.
        from devproc.ir.concurrency.worker_pool import WorkerPool

        with WorkerPool(THREADS) as pool:
            digests = list(pool.map(_sha256, blocks))
    return Digest(len(view), hashlib.sha256(b"".join(digests)).hexdigest())


def _sha256(block: memoryview) -> bytes:
    return hashlib.sha256(block).digest()
