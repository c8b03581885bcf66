// The text of wheels.py: see driver-modules.ts.

export const wheelsText = `"""Unpacks wheels (PEP 427) into the folder of all packages."""

from __future__ import annotations

import importlib
import io
import os
import re
import sys
import zipfile

from muster_driver.values import Refused

WHEEL_NAME = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[\\w.]*[A-Za-z0-9])?)-(?P<version>[\\w.!+]+)(?:-\\d[\\w.]*)?"
    r"-(?P<python>[\\w.]+)-(?P<abi>[\\w.]+)-(?P<platform>[\\w.]+)\\.whl",
    re.ASCII,
)

# Names that the compiler gives to JavaScript in a library.
JAVASCRIPT = (b"__em_js__", b"__start_em_asm")


def install_wheel(name: str, data: bytes, folder: str, tag: str) -> None:
    match = WHEEL_NAME.fullmatch(name)
    if match is None:
        raise Refused("program_invalid", f"{name} is not the name of a wheel")
    _check_tags(match, name, tag)
    with zipfile.ZipFile(io.BytesIO(data)) as wheel:
        for entry in wheel.infolist():
            _unpack(wheel, entry, folder, name)
    importlib.invalidate_caches()


def _check_tags(match: re.Match[str], name: str, tag: str) -> None:
    """PEP 425: a name may have several tags of each kind, with points between them."""
    minor = sys.version_info[1]
    own = {f"cp3{minor}"}
    pure = own | {"py3"} | {f"py3{older}" for older in range(minor + 1)}
    stable = {f"cp3{older}" for older in range(2, minor + 1)}
    pythons, abis, platforms = (
        set(match[part].split(".")) for part in ("python", "abi", "platform")
    )
    if "none" in abis and pythons & pure and platforms & {"any", tag}:
        return
    if tag not in platforms:
        raise Refused(
            "missing_package",
            f"{name} does not run here: a wheel for py3-none-any or {tag} is needed",
        )
    if not ((abis & own and pythons & own) or ("abi3" in abis and pythons & stable)):
        wanted = f"cp3{minor}-cp3{minor}-{tag}"
        raise Refused(
            "missing_package", f"{name} is made for another Python: the tag {wanted} is needed"
        )


def _unpack(wheel: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: str, name: str) -> None:
    path = entry.filename
    parts = path.rstrip("/").split("/")
    # A regular file or a folder, below the folder of all packages.
    kind = entry.external_attr >> 28
    if (
        path.startswith("/")
        or "\\\\" in path
        or "\\0" in path
        or any(part in ("", ".", "..") for part in parts)
    ):
        raise Refused("program_invalid", f"{name} has a file outside of its folder: {path[:200]}")
    if kind not in (0, 4, 8):
        raise Refused("program_invalid", f"{name} has something that is no file: {path[:200]}")
    # PEP 427: these two subfolders of \`NAME.data\` lie beside the packages.
    if len(parts) > 2 and parts[0].endswith(".data"):
        if parts[1] not in ("purelib", "platlib"):
            return
        parts = parts[2:]
    target = "/".join([folder, *parts])
    if entry.is_dir():
        os.makedirs(target, exist_ok=True)
        return
    os.makedirs(target.rpartition("/")[0], exist_ok=True)
    data = wheel.read(entry)
    # The loader would make functions of it, and then call what it could not make.
    if target.endswith(".so") and any(mark in data for mark in JAVASCRIPT):
        why = "brings JavaScript of its own, which does not run here"
        raise Refused("missing_package", f"{name} {why}: {path[:200]}")
    with open(target, "wb") as file:
        file.write(data)
`;
