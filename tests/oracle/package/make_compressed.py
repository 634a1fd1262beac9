#!/usr/bin/env python3
"""Writes compressed/*.mlpackage with coremltools 9.0's optimizers, where they are at their limits, and beside
each what its stored numbers mean by NumPy.

The Python module's test runs them (python/tests/module_test.py).

    pip install coremltools==9.0 numpy
    tests/oracle/package/make_compressed.py     # rewrites the folder compressed/
"""
import json
import pathlib
import shutil
import sys
import warnings

import numpy as np

warnings.filterwarnings("ignore")
import coremltools as ct  # noqa: E402
import coremltools.optimize.coreml as cto  # noqa: E402
from coremltools.converters.mil.frontend.milproto.load import load  # noqa: E402
from coremltools.converters.mil.mil import Builder as mb  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "compressed"
RNG = np.random.default_rng(20261201)


def linear(weight, add=None):
    @mb.program(input_specs=[mb.TensorSpec(shape=(2, weight.shape[1]))], opset_version=ct.target.iOS18)
    def prog(x):
        y = mb.linear(x=x, weight=weight, name="y")
        return mb.softmax(x=mb.add(x=y, y=add), name="out") if add is not None else mb.identity(x=y, name="out")

    return ct.convert(prog, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS18,
                      compute_precision=ct.precision.FLOAT32, skip_model_load=True)


def odd_rows():
    """A row of zeros, of one value repeated, of tiny ones."""
    weight = RNG.standard_normal((6, 16)).astype(np.float32)
    weight[1] = 0
    weight[2] = 0.375
    weight[3] *= 1e-6
    return weight


def quantized(weight, **options):
    config = cto.OptimizationConfig(cto.OpLinearQuantizerConfig(weight_threshold=4, **options))
    return cto.linear_quantize_weights(linear(weight), config)


def zero_row_int8():
    return quantized(odd_rows(), mode="linear_symmetric", dtype="int8")


def zero_row_affine_int8():
    return quantized(odd_rows(), mode="linear", dtype="uint8")


def zero_row_int4_blocks():
    return quantized(odd_rows(), mode="linear_symmetric", dtype="int4", granularity="per_block", block_size=8)


def blocks_that_do_not_divide():
    """Left as it was, with a line in a log."""
    return quantized(RNG.standard_normal((8, 64)).astype(np.float32), mode="linear_symmetric", dtype="int4",
                     granularity="per_block", block_size=24)


def three_values():
    """A palette of 16 for three values loses nothing."""
    weight = RNG.choice(np.float32([-0.75, 0.1, 2.5]), (8, 32))
    config = cto.OptimizationConfig(cto.OpPalettizerConfig(mode="unique", weight_threshold=4))
    return cto.palettize_weights(linear(weight), config), weight


def infinite_mask():
    """The mask is taken for a weight, and its palette is no number."""
    mask = np.where(RNG.random((2, 32)) < 0.3, -np.inf, 0).astype(np.float32)
    config = cto.OptimizationConfig(cto.OpPalettizerConfig(mode="uniform", nbits=2, weight_threshold=4))
    return cto.palettize_weights(linear(RNG.standard_normal((32, 16)).astype(np.float32), mask), config)


def stored(model):
    """The weight as the package has it, and the types of the ops that hold it."""
    spec = model.get_spec()
    program = load(spec, spec.specificationVersion, model.weights_dir)
    ops = program.functions["main"].operations
    weight = next(op for op in ops if op.op_type == "linear").weight
    value = weight.val if weight.val is not None else weight.op.materialized_val_inference()
    return np.asarray(value), sorted(op.op_type for op in ops if op.op_type.startswith("constexpr_"))


def main():
    if ct.__version__ != "9.0":
        sys.exit(f"coremltools is {ct.__version__}; 9.0 is wanted")
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    for make in (zero_row_int8, zero_row_affine_int8, zero_row_int4_blocks, blocks_that_do_not_divide,
                 three_values, infinite_mask):
        made = make()
        model, original = made if isinstance(made, tuple) else (made, None)
        path = FOLDER / f"{make.__name__}.mlpackage"
        model.save(str(path))
        weight, ops = stored(model)
        figures = {"made_by": f"coremltools {ct.__version__}, NumPy {np.__version__}", "constexpr": ops}
        if make is not infinite_mask:
            # What a scale of 0 means is 0, whatever coremltools makes of it.
            weight = np.nan_to_num(weight.astype(np.float64))
            if original is not None:
                assert np.array_equal(weight, original)
            x = RNG.standard_normal((2, weight.shape[1])).astype(np.float32)
            figures["x"] = x.astype(np.float64).tolist()
            figures["out"] = (x.astype(np.float64) @ weight.T).tolist()
        with open(path.with_suffix(".json"), "w") as file:
            json.dump(figures, file, indent=1)
            file.write("\n")
        print(path.name, ops, weight[1][:3] if make is not infinite_mask else "")


if __name__ == "__main__":
    main()
