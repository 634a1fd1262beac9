#!/usr/bin/env python3
"""Writes golden/*.mlpackage with coremltools 9.0, and beside each what coremltools reads out of it.

golden_test.cc in anemone/package compares our reader with that. The packages are small and hold what
the reader must know: every way to spell a value, blobs of every width, features of every kind,
states, several functions, nested blocks and both generations of compressed constants.

    pip install coremltools==9.0 numpy
    tests/oracle/package/make_goldens.py        # rewrites the folder golden/
"""
import json
import os
import pathlib
import shutil
import sys
import warnings

import numpy as np

warnings.filterwarnings("ignore")
import coremltools as ct  # noqa: E402
from coremltools.converters.mil.frontend.milproto import load as milproto  # noqa: E402
from coremltools.converters.mil.mil import Builder as mb  # noqa: E402
from coremltools.converters.mil.mil import Function, Program, mil_list, types  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE / "golden"
RNG = np.random.default_rng(20260301)

# No pass may rewrite what a golden is meant to hold.
NO_PASSES = ct.PassPipeline.EMPTY


def half(*shape):
    return RNG.standard_normal(shape).astype(np.float16)


def convert(prog, target, **kwargs):
    return ct.convert(prog, convert_to="mlprogram", minimum_deployment_target=target,
                      compute_precision=ct.precision.FLOAT32, pass_pipeline=NO_PASSES,
                      skip_model_load=True, **kwargs)


def values_ios15():
    """Immediate values and blobs of the oldest target; fp32 features; a symbolic extent."""

    @mb.program(input_specs=[mb.TensorSpec(shape=(2, 3), dtype=types.fp32),
                             mb.TensorSpec(shape=(1,), dtype=types.int32)],
                opset_version=ct.target.iOS15)
    def prog(x, n):
        big = mb.const(val=np.arange(12, dtype=np.float32).reshape(3, 4) / 8, name="big")
        small = mb.const(val=np.array([[1.5, -2.5, 3e-5, 7]], dtype=np.float32), name="small")
        many_ints = mb.const(val=np.arange(-6, 6, dtype=np.int32), name="many_ints")
        flags = mb.const(val=np.array([True, False, True]), name="flags")
        y = mb.matmul(x=x, y=big, name="y")
        y = mb.add(x=y, y=small, name="z")
        k = mb.add(x=many_ints, y=n, name="k")
        w = mb.select(cond=flags, a=np.float32([1, 2, 3]), b=np.float32([4, 5, 6]), name="w")
        t = mb.cast(x=k, dtype="fp32", name="t")
        return y, t, w

    return convert(prog, ct.target.iOS15)


def narrow_ios17():
    """int8, uint8, int16 and uint16 values, immediate and in the weight file; fp16 features."""

    @mb.program(input_specs=[mb.TensorSpec(shape=(4,), dtype=types.fp16)],
                opset_version=ct.target.iOS17)
    def prog(x):
        names = []
        for dtype in (np.int8, np.uint8, np.int16, np.uint16):
            info = np.iinfo(dtype)
            few = np.array([info.min, info.max, 1], dtype=dtype)
            many = np.linspace(info.min, info.max, 20).astype(dtype)
            for label, value in (("few", few), ("many", many)):
                names.append(mb.cast(x=mb.const(val=value, name=f"{label}_{np.dtype(dtype).name}"),
                                     dtype="fp16"))
        halves = mb.const(val=np.array([0.1, -65504, 6e-8, 2], dtype=np.float16), name="halves")
        y = mb.mul(x=x, y=halves, name="y")
        total = mb.concat(values=names, axis=0, name="total")
        return y, total

    return convert(prog, ct.target.iOS17)


def blocks_ios17():
    """cond and while_loop, whose blocks use outer values and hold blocks of their own."""

    @mb.program(input_specs=[mb.TensorSpec(shape=(3,), dtype=types.fp32),
                             mb.TensorSpec(shape=(1,), dtype=types.fp32)],
                opset_version=ct.target.iOS17)
    def prog(x, p):
        positive = mb.greater(x=mb.squeeze(x=p, axes=[0]), y=np.float32(0), name="positive")

        def grown():
            return mb.while_loop(
                _cond=lambda v, i: mb.less(x=i, y=np.float32(3), name="again"),
                _body=lambda v, i: (mb.add(x=v, y=x, name="more"),
                                    mb.add(x=i, y=np.float32(1), name="next")),
                loop_vars=(x, np.float32(0)), name="loop")[0]

        y = mb.cond(pred=positive, _true_fn=grown, _false_fn=lambda: mb.mul(x=x, y=x, name="sq"),
                    name="y")
        return mb.identity(x=y, name="out")

    return convert(prog, ct.target.iOS17)


def features_ios18():
    """Enumerated shapes, ranges, an optional input with a default, an image; no blob at all."""
    n = ct.RangeDim(1, 8, default=2)
    inputs = [
        ct.TensorType("ranged", shape=(1, n), dtype=np.float32),
        ct.TensorType("listed", shape=ct.EnumeratedShapes([[1, 2], [1, 4], [2, 2]], [1, 4]),
                      dtype=np.float16),
        ct.TensorType("spare", shape=(2,), dtype=np.float32,
                      default_value=np.array([0.5, 0.5], dtype=np.float32)),
        ct.ImageType("photo", shape=(1, 3, 4, 6), color_layout=ct.colorlayout.BGR),
    ]
    import torch

    class Net(torch.nn.Module):
        def forward(self, ranged, listed, spare, photo):
            return ranged * 2, listed + 1, spare * 3, photo.sum(dim=(2, 3))

    net = torch.jit.trace(Net().eval(), (torch.zeros(1, 2), torch.zeros(1, 4), torch.zeros(2),
                                         torch.zeros(1, 3, 4, 6)))
    model = ct.convert(net, inputs=inputs, convert_to="mlprogram",
                       minimum_deployment_target=ct.target.iOS18, skip_model_load=True,
                       outputs=[ct.TensorType("a"), ct.TensorType("b", dtype=np.float16),
                                ct.TensorType("c"), ct.TensorType("d")])
    model.author = "somebody"
    model.license = "none"
    model.short_description = "features of many kinds"
    model.version = "7"
    model.user_defined_metadata["mood"] = "blue"
    model.input_description["photo"] = "what is seen"
    return model


def classifier_ios16(labels):
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3), dtype=types.fp32)],
                opset_version=ct.target.iOS16)
    def prog(x):
        return mb.softmax(x=x, axis=-1, name="odds")

    return convert(prog, ct.target.iOS16, classifier_config=ct.ClassifierConfig(labels))


def compressed_ios16():
    """Compressed constants whose parameters are attributes."""

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 4), dtype=types.fp16)],
                opset_version=ct.target.iOS16)
    def prog(x):
        a = mb.constexpr_affine_dequantize(
            quantized_data=np.arange(-8, 8, dtype=np.int8).reshape(4, 4), zero_point=np.int8(1),
            scale=np.float16(0.5), axis=0, name="affine")
        b = mb.constexpr_lut_to_dense(
            indices=np.array([0b11100100, 0b00011011, 0b11100100, 0b00011011], dtype=np.uint8),
            lut=np.array([-1, 0.25, 3, 9], dtype=np.float16),
            shape=np.array([4, 4], dtype=np.uint32), name="lut")
        c = mb.constexpr_sparse_to_dense(
            nonzero_data=np.array([1, 2, 3, 4, 5], dtype=np.float16),
            mask=np.array([0b00010011, 0b10000001], dtype=np.uint8),
            shape=np.array([4, 4], dtype=np.uint32), name="sparse")
        y = mb.linear(x=x, weight=a, name="ya")
        y = mb.linear(x=y, weight=b, name="yb")
        y = mb.linear(x=y, weight=c, name="yc")
        return y

    return convert(prog, ct.target.iOS16)


def compressed_ios18():
    """Compressed constants whose parameters are literal inputs of sub-byte types, also chained."""

    def sub_byte(values, dtype):
        return np.asarray(values).astype(types.nptype_from_builtin(dtype))

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 8), dtype=types.fp16)],
                opset_version=ct.target.iOS18)
    def prog(x):
        y = x
        blockwise = mb.constexpr_blockwise_shift_scale(
            data=sub_byte(RNG.integers(-8, 8, (8, 8)), types.int4), scale=half(8, 2),
            offset=sub_byte(RNG.integers(-8, 8, (8, 2)), types.int4), name="blockwise")
        y = mb.linear(x=y, weight=blockwise, name="y_blockwise")
        for dtype, bits in ((types.uint1, 1), (types.uint2, 2), (types.uint3, 3), (types.uint4, 4),
                            (types.uint6, 6), (types.uint8, 8)):
            # 9 x 5 elements, so that the last byte is not full.
            dense = mb.constexpr_lut_to_dense(
                indices=sub_byte(RNG.integers(0, 2**bits, (9, 5)), dtype),
                lut=half(1, 1, 2**bits, 1), name=f"lut{bits}")
            y = mb.add(x=y, y=mb.slice_by_index(x=dense, begin=[0, 0], end=[1, 1],
                                                name=f"corner{bits}"), name=f"y_lut{bits}")
        mask = sub_byte([[1, 0, 1, 0, 0, 1, 1, 0], [0] * 8] + [[1] + [0] * 7] * 6, types.uint1)
        mask_out, values_out = mb.constexpr_lut_to_sparse(
            indices_mask=mask, indices_nonzero_data=sub_byte([0, 1, 3, 2, 1, 0, 2, 3, 3, 1],
                                                             types.uint2),
            lut=half(1, 1, 4, 1), name="joint")
        joint = mb.constexpr_sparse_to_dense(nonzero_data=values_out, mask=mask_out, name="dense")
        return mb.linear(x=y, weight=joint, name="out")

    return convert(prog, ct.target.iOS18)


def functions_ios18():
    """Two functions over one weight and one state each; writes follow reads."""
    prog = Program()
    weight = half(4, 4)
    for name, rows in (("decode", 1), ("prefill", 2)):
        inputs = {
            "x": mb.placeholder(shape=(1, rows, 4), dtype=types.fp16),
            "position": mb.placeholder(shape=(1,), dtype=types.int32),
            "kv": mb.state_tensor_placeholder(shape=(1, 6, 4), dtype=types.fp16),
        }
        with Function(inputs, opset_version=ct.target.iOS18) as func:
            x, position, kv = func.inputs["x"], func.inputs["position"], func.inputs["kv"]
            w = mb.const(val=weight, name="w")
            w.op.weight_id = "shared"
            y = mb.linear(x=x, weight=w, name="rows")
            end = mb.add(x=position, y=np.int32(rows), name="stop")
            begin = mb.concat(values=[[0], position, [0]], axis=0, name="begin")
            stop = mb.concat(values=[[1], end, [4]], axis=0, name="end")
            old = mb.read_state(input=kv, name="old")
            new = mb.slice_update(x=old, update=y, begin=begin, end=stop, name="new")
            now = mb.coreml_update_state(state=kv, value=new, name="now")
            func.set_outputs([mb.reduce_sum(x=now, axes=[1], name="out")])
            prog.add_function(name, func)
    prog.default_function_name = "decode"
    prog.export_as_multifunction = True
    prog.skip_all_passes = True
    return convert(prog, ct.target.iOS18)


GOLDENS = {
    "values_ios15": values_ios15,
    "narrow_ios17": narrow_ios17,
    "blocks_ios17": blocks_ios17,
    "features_ios18": features_ios18,
    "strings_ios16": lambda: classifier_ios16(["cat", "dog", "Ä \"quoted\""]),
    "numbers_ios16": lambda: classifier_ios16([3, -1, 2**40]),
    "compressed_ios16": compressed_ios16,
    "compressed_ios18": compressed_ios18,
    "functions_ios18": functions_ios18,
}

# --- What coremltools reads out of a package. ---


def type_words(value_type):
    kind = value_type.WhichOneof("type")
    if kind == "stateType":
        return "state<" + type_words(value_type.stateType.wrappedType) + ">"
    if kind == "listType":
        length = value_type.listType.length
        size = length.constant.size if length.HasField("constant") else "?"
        return f"list<{type_words(value_type.listType.type)}, {size}>"
    if kind == "dictionaryType":
        d = value_type.dictionaryType
        return f"dict<{type_words(d.keyType)}, {type_words(d.valueType)}>"
    t = value_type.tensorType
    dtype = types.builtin_to_string(types.PROTO_TO_BUILTIN_TYPE[t.dataType])
    dims = [str(d.constant.size) if d.HasField("constant") else "?" for d in t.dimensions]
    if not dims:
        return dtype
    return f"tensor<{dtype}, [{', '.join(dims)}]>"


def elements(value):
    if isinstance(value, str):
        return [value]
    flat = np.asarray(value).reshape(-1)
    if flat.dtype.kind in "US":
        return [str(v) for v in flat]
    if flat.dtype.kind == "f":
        return [float(v) for v in flat]
    return [int(v) for v in flat]


def value_entry(context, value):
    if value.type.WhichOneof("type") == "listType":
        found = [milproto._load_value(context, v) for v in value.immediateValue.list.values]
    else:
        found = milproto._load_value(context, value)
    return {"type": type_words(value.type), "elements": elements(found)}


def block_entry(context, block):
    ops = []
    for op in block.operations:
        entry = {"type": op.type, "outputs": {o.name: type_words(o.type) for o in op.outputs},
                 "inputs": {}, "values": {}}
        for name, value in op.attributes.items():
            if name == "name":
                entry["name"] = milproto._load_value(context, value)
            else:
                entry["values"][name] = value_entry(context, value)
        for name, argument in op.inputs.items():
            for binding in argument.arguments:
                if binding.WhichOneof("binding") == "name":
                    entry["inputs"].setdefault(name, []).append(binding.name)
                else:
                    entry["values"][name] = value_entry(context, binding.value)
        entry["blocks"] = [block_entry(context, b) for b in op.blocks]
        ops.append(entry)
    return {"inputs": {i.name: type_words(i.type) for i in block.inputs},
            "outputs": list(block.outputs), "ops": ops}


def expected(path):
    model = ct.models.MLModel(str(path), skip_model_load=True)
    spec = model.get_spec()
    context = milproto.TranscriptionContext(model.weights_dir)
    functions = {}
    for name, function in spec.mlProgram.functions.items():
        entry = block_entry(context, function.block_specializations[function.opset])
        entry["opset"] = function.opset
        entry["inputs"] = {i.name: type_words(i.type) for i in function.inputs}
        functions[name] = entry
    return {"made_by": f"coremltools {ct.__version__}, make_goldens.py",
            "specification_version": spec.specificationVersion, "functions": functions}


def main():
    if ct.__version__ != "9.0":
        sys.exit(f"coremltools 9.0 is wanted, this is {ct.__version__}")
    if GOLDEN.exists():
        shutil.rmtree(GOLDEN)
    GOLDEN.mkdir()
    for name, make in GOLDENS.items():
        path = GOLDEN / f"{name}.mlpackage"
        make().save(str(path))
        with open(GOLDEN / f"{name}.json", "w", encoding="utf-8") as file:
            json.dump(expected(path), file, indent=1, ensure_ascii=False, sort_keys=True)
            file.write("\n")
        size = sum(os.path.getsize(f) for f in path.rglob("*") if f.is_file())
        print(f"{path.name}: {size} bytes")


if __name__ == "__main__":
    main()
