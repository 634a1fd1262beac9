"""coremltools that predicts on any machine.

    import anemone.coremltools
    import coremltools as ct
    ct.models.MLModel("model.mlpackage").predict({"x": array})

coremltools talks to Core ML through one extension module, which its packages for other systems than
macOS lack. Importing this module puts one in its place that runs ML Programs by anemone's engine on the
CPU, and lets coremltools think that the system is a recent macOS, since it asks before it predicts. No
file of coremltools is changed. What needs Apple's hardware or its compiler raises a RuntimeError.

The environment variable ANEMONE_ARITHMETIC ("float16" or "float32") says how to compute.
"""

import sys
import types

if "coremltools.libcoremlpython" not in sys.modules:
    from anemone import _libcoremlpython

    sys.modules["coremltools.libcoremlpython"] = _libcoremlpython

try:
    import coremltools  # noqa: E402
except ModuleNotFoundError as error:
    del sys.modules["coremltools.libcoremlpython"]
    raise ImportError(
        f"anemone.coremltools needs coremltools ({error}): pip install coremltools"
    ) from error

from anemone import _libcoremlpython  # noqa: E402

MACOS_VERSION = (26, 0)

_SYSTEM = {
    "_is_macos": lambda: True,
    "_macos_version": lambda: MACOS_VERSION,
    "_IS_MACOS": True,
    "_MACOS_VERSION": MACOS_VERSION,
}


def _patch():
    """Replaces what the loaded modules of coremltools know of the system; names were imported by value,
    so each module has its own."""
    if sys.platform == "darwin":
        raise ImportError("anemone.coremltools is for systems without Core ML; this is macOS")
    coremltools.libcoremlpython = _libcoremlpython
    for name, module in list(sys.modules.items()):
        is_ours = name == "coremltools" or name.startswith("coremltools.")
        if not is_ours or not isinstance(module, types.ModuleType):
            continue
        for attribute, value in _SYSTEM.items():
            if attribute in vars(module):
                setattr(module, attribute, value)
        # coremltools was imported first, and found no extension.
        for attribute in _libcoremlpython.CLASSES:
            if vars(module).get(attribute, ...) is None:
                setattr(module, attribute, getattr(_libcoremlpython, attribute))


_patch()
