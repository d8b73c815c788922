"""Build the kernels: the files of `src/salva/_kernels` become one extension. The rest is in pyproject.toml.

The environment variable SALVA_KERNELS names the kind of build: `release` (the default); `quick`, which is
compiled fast and runs slowly; or `checked`, which checks every index and keeps errors of inner functions.
"""

from __future__ import annotations

import os
import runpy
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path
from zlib import crc32

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.modified import newer_group

PACKAGE = "salva._kernels"
ROOM = Path("src/salva/_kernels")
SOURCES = [ROOM / "_compiled.pyx", *sorted(ROOM.glob("[!_]*.py"))]

KIND = os.environ.get("SALVA_KERNELS", "release")
CHECKED = KIND == "checked"
# One extension fits every Python from 3.11, except free-threaded ones, which have no limited API.
LIMITED = not sysconfig.get_config_var("Py_GIL_DISABLED")

# gcc and clang must not fuse a product and a sum, so that all processors round the same way. gcc warns of
# copies of sixteen bytes that are within their array; clang does not know that warning.
BOTH = ["-ffp-contract=off", "-Wno-stringop-overflow", "-Wno-unknown-warning-option"]
FLAGS = {
    "unix": {
        "release": ["-O3", "-g0", *BOTH],
        "quick": ["-O0", "-g0", *BOTH],
        "checked": ["-O1", "-g1", *BOTH],
    },
    "msvc": {"release": ["/O2"], "quick": ["/Od"], "checked": ["/Od"]},
}
DIRECTIVES = {
    "language_level": 3,
    "infer_types": True,
    "cdivision": True,
    "wraparound": False,
    "initializedcheck": False,
    "auto_pickle": False,
    "show_performance_hints": False,  # they advise a checked build against its checks
    "boundscheck": CHECKED,
    "legacy_implicit_noexcept": not CHECKED,  # without checks of indices, inner functions raise nothing
}


def what_is_missing() -> str | None:
    """Return what the machine lacks to compile; setuptools itself looks for Microsoft's compiler."""
    if sys.platform == "win32":
        return None
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    if not shutil.which(compiler):
        return f"the C compiler {compiler!r} was not found"
    headers = Path(sysconfig.get_path("include"))
    return None if (headers / "Python.h").exists() else f"Python.h was not found in {headers}"


def constants() -> str:
    """Return what `constants.py` has, integers as constants of C, and a digest of what is compiled."""
    names = runpy.run_path(str(ROOM / "constants.py")) | {"CHECKED": CHECKED}
    numbers = {name: int(value) for name, value in names.items() if name.isupper() and isinstance(value, int)}
    large = {name for name, value in numbers.items() if value >= 1 << 63}
    lines = ["cdef extern from *:", '    """']
    lines += [
        f"    #define {name} {value}{'ULL' if name in large else 'LL'}" for name, value in numbers.items()
    ]
    lines += ['    """']
    lines += [f"    const {'u64' if name in large else 'i64'} {name}" for name in numbers]
    lines += [
        f"{name} = {value!r}" for name, value in names.items() if name.isupper() and isinstance(value, str)
    ]
    lines += [f"built_from = {crc32(b''.join(path.read_bytes() for path in SOURCES))}"]
    return "\n".join(lines) + "\n"


def translate(kernels: Extension, folder: Path) -> None:
    """Write the kernels as C into a folder that has their constants."""
    from Cython.Build import cythonize
    from Cython.Compiler import Errors, Options

    Options.buffer_max_dims = 2  # a memoryview is passed by value: 64 bytes instead of 208
    Errors.LEVEL = 3  # above the warning that `legacy_implicit_noexcept` is old
    cythonize(kernels, build_dir=folder, include_path=[folder], compiler_directives=DIRECTIVES, force=True)


class BuildKernels(build_ext):
    """Translate the kernels into C, and compile that."""

    def finalize_options(self) -> None:
        """Keep what a build in place makes, for the next one; pip would use a temporary folder."""
        super().finalize_options()
        if self.inplace:
            self.build_lib, self.build_temp = f"build/{KIND}/lib", f"build/{KIND}/temp"

    def build_extension(self, ext: Extension) -> None:
        """Build the extension from C in the folder for temporary files, not among the sources."""
        folder = Path(self.build_temp)
        numbers, translated = folder / "constants.pxi", folder / SOURCES[0].with_suffix(".c")
        folder.mkdir(parents=True, exist_ok=True)
        if not numbers.exists() or numbers.read_text("utf-8") != constants():
            numbers.write_text(constants(), "utf-8")
        # Cython would compare the age of its own files too, which are new wherever pip has just installed it.
        if self.force or newer_group([*map(str, SOURCES), str(numbers), "setup.py"], str(translated)):
            translate(ext, folder)
        ext.sources = [str(translated)]
        ext.extra_compile_args = FLAGS["msvc" if self.compiler.compiler_type == "msvc" else "unix"][KIND]
        super().build_extension(ext)


class BuildModules(build_py):
    """Copy what a wheel holds: no sources of the extension, and nothing that an earlier build left."""

    def run(self) -> None:
        """Copy into a folder that is empty at first."""
        if not self.editable_mode:
            shutil.rmtree(Path(self.build_lib, "salva"), ignore_errors=True)
        super().run()

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """Leave out the kernels, which are in the extension, but not the constants that others import."""
        found = super().find_package_modules(package, package_dir)
        return [one for one in found if package != PACKAGE or one[1] in {"__init__", "constants"}]


if KIND not in FLAGS["unix"]:
    sys.exit(f"salva: SALVA_KERNELS is {KIND!r}; it must be one of {', '.join(FLAGS['unix'])}")
if {"build_ext", "bdist_wheel", "dist_info", "editable_wheel"}.intersection(sys.argv) and what_is_missing():
    sys.exit(
        f"salva: {what_is_missing()}; to build a clone, install gcc and Python's headers"
        " (Debian: apt install gcc libc6-dev python3-dev); a wheel needs neither"
    )
setup(
    cmdclass={"build_ext": BuildKernels, "build_py": BuildModules},
    ext_modules=[
        Extension(
            f"{PACKAGE}._compiled",
            [str(SOURCES[0])],
            depends=[*map(str, SOURCES[1:]), "setup.py"],
            py_limited_api=LIMITED,
            define_macros=[("Py_LIMITED_API", "0x030B0000")] if LIMITED else [],
        )
    ],
    options={
        "build": {"build_base": f"build/{KIND}"},
        "bdist_wheel": {"py_limited_api": "cp311"} if LIMITED else {},
    },
)
