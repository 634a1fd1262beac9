#!/usr/bin/env python3
"""Reads ML Program packages with coremltools 9.0 and complains about everything it does not take.

    pip install coremltools==9.0 numpy
    check_packages.py PATH...             every *.mlpackage under the paths (or the path itself)
    check_packages.py --equal A B         both as above, and A and B hold the same program and values

For each package: the manifest by coremltools' own package reader, every constant of the weight file
by its blob reader, the specification by its protobuf classes and a few checks that only macOS builds
of coremltools make, and every function by its MIL loader, which infers all types again. Exit status 1
if anything is refused, or if there is nothing to check.
"""
import argparse
import os
import pathlib
import shutil
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
import logging  # noqa: E402

logging.disable(logging.WARNING)
import coremltools as ct  # noqa: E402
import numpy as np  # noqa: E402
from coremltools import proto  # noqa: E402
from coremltools.converters.mil.frontend.milproto import load as milproto  # noqa: E402
from coremltools.converters.mil.frontend.milproto.helper import proto_to_types  # noqa: E402
from coremltools.converters.mil.mil import types  # noqa: E402
from coremltools.libmilstoragepython import _BlobStorageReader as BlobReader  # noqa: E402
from coremltools.libmodelpackage import ModelPackage  # noqa: E402

RECORD_BYTES = 64
ARRAY = proto.FeatureTypes_pb2.ArrayFeatureType
IMAGE = proto.FeatureTypes_pb2.ImageFeatureType
OPSET_VERSIONS = {"CoreML5": 6, "CoreML6": 7, "CoreML7": 8, "CoreML8": 9, "CoreML9": 10}
READERS = {
    "uint1": "read_uint1_data", "uint2": "read_uint2_data", "uint3": "read_uint3_data",
    "uint4": "read_uint4_data", "uint6": "read_uint6_data", "uint8": "read_uint8_data",
    "uint16": "read_uint16_data", "uint32": "read_uint32_data", "int4": "read_int4_data",
    "int8": "read_int8_data", "int16": "read_int16_data", "int32": "read_int32_data",
    "fp16": "read_fp16_data", "fp32": "read_float_data",
}
WIDTHS = {"uint1": 1, "uint2": 2, "uint3": 3, "uint4": 4, "int4": 4, "uint6": 6, "uint8": 8,
          "int8": 8, "uint16": 16, "int16": 16, "fp16": 16, "uint32": 32, "int32": 32, "fp32": 32}


class Complaint(Exception):
    pass


def require(condition, words):
    if not condition:
        raise Complaint(words)


def model_folder(path):
    """The manifest, read by libmodelpackage. That rewrites the file it opens, so it gets a copy."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / path.name
        copy.mkdir()
        require((path / "Manifest.json").is_file(), "has no Manifest.json")
        shutil.copy(path / "Manifest.json", copy)
        os.symlink((path / "Data").resolve(), copy / "Data")
        require(ModelPackage.isValid(str(copy)), "the manifest is refused by libmodelpackage")
        root = ModelPackage(str(copy)).getRootModel()
        require(root is not None, "the manifest has no root model")
        inside = pathlib.Path(root.path()).relative_to(copy)
    return (path / inside).parent, path / inside


def all_values(block):
    for op in block.operations:
        for name, value in op.attributes.items():
            yield f"op '{op.outputs[0].name if op.outputs else op.type}', {name}", value
        for name, argument in op.inputs.items():
            for binding in argument.arguments:
                if binding.WhichOneof("binding") == "value":
                    yield f"op '{op.outputs[0].name}', {name}", binding.value
        for nested in op.blocks:
            yield from all_values(nested)


def check_blobs(spec, folder):
    """Every blob by the blob reader; blobs lie apart and fill their file."""
    readers, ranges = {}, {}
    for function in spec.mlProgram.functions.values():
        for block in function.block_specializations.values():
            for where, value in all_values(block):
                if value.WhichOneof("value") != "blobFileValue":
                    continue
                name, offset = value.blobFileValue.fileName, value.blobFileValue.offset
                require(name.startswith("@model_path/"), f"{where}: the file is '{name}'")
                file = folder / name[len("@model_path/"):]
                dtype = types.builtin_to_string(
                    types.PROTO_TO_BUILTIN_TYPE[value.type.tensorType.dataType])
                count = int(np.prod([d.constant.size for d in value.type.tensorType.dimensions],
                                    dtype=np.int64))
                place = (str(file), offset)
                known = ranges.get(place)
                if known is not None and known == (dtype, count):
                    continue
                require(known is None, f"{where}: one blob is used as {known} and {(dtype, count)}")
                reader = readers.setdefault(str(file), BlobReader(str(file)))
                try:
                    data = getattr(reader, READERS[dtype])(offset)
                except Exception as error:
                    raise Complaint(f"{where}: the blob reader says: {error}") from error
                require(data.size == count, f"{where}: {data.size} elements for {count}")
                ranges[place] = (dtype, count)
    for file in {place[0] for place in ranges}:
        end = 64
        for (name, offset), (dtype, count) in sorted(ranges.items()):
            if name != file:
                continue
            require(offset % 64 == 0 and offset >= end, f"{file}: the blob at {offset} overlaps")
            require(offset - end < 64, f"{file}: bytes {end} to {offset} are used by nothing")
            end = offset + RECORD_BYTES + (count * WIDTHS[dtype] + 7) // 8
        require(end == os.path.getsize(file), f"{file}: ends at {os.path.getsize(file)}, not {end}")
    return len(ranges)


def needed_version(spec):
    """The rules of mlmodel/src/Utils.cpp for ML Programs."""
    needed = 6
    description = spec.description
    parts = list(description.functions) if description.functions else [description]
    if description.functions:
        needed = 9
    for part in parts:
        if len(part.input) == 0 or len(part.state) > 0:
            needed = max(needed, 9)
        for feature in list(part.input) + list(part.output):
            kind = feature.type.WhichOneof("Type")
            if kind == "multiArrayType":
                data_type = feature.type.multiArrayType.dataType
                needed = max(needed, {ARRAY.FLOAT16: 7, ARRAY.INT8: 10}.get(data_type, 0))
            if kind == "imageType" and feature.type.imageType.colorSpace == IMAGE.GRAYSCALE_FLOAT16:
                needed = max(needed, 7)
    for function in spec.mlProgram.functions.values():
        needed = max(needed, OPSET_VERSIONS[function.opset])
    return needed


def check_array(where, array, value_type, is_output):
    found = {ARRAY.FLOAT32: types.fp32, ARRAY.FLOAT16: types.fp16, ARRAY.INT32: types.int32,
             ARRAY.INT8: types.int8, ARRAY.DOUBLE: types.fp64}[array.dataType]
    is_tensor = types.is_tensor(value_type)
    wanted = value_type.get_primitive() if is_tensor else value_type
    require(found == wanted, f"{where}: the feature and the program differ in dtype")
    shape = list(value_type.get_shape()) if is_tensor else ([] if is_output else [1])
    if is_output and any(not isinstance(n, (int, np.integer)) for n in shape):
        shape = []
    require(len(array.shape) == len(shape), f"{where}: the feature and the program differ in rank")
    for a, b in zip(array.shape, shape):
        require(not isinstance(b, (int, np.integer)) or a == b,
                f"{where}: the feature has the shape {list(array.shape)}, the program {shape}")


def check_interface(where, part, function):
    inputs = {i.name: proto_to_types(i.type) for i in function.inputs}
    block = function.block_specializations[function.opset]
    outputs = {o.name: proto_to_types(o.type) for op in block.operations for o in op.outputs}
    outputs.update(inputs)
    states = {name for name, kind in inputs.items() if types.is_state(kind)}
    require({f.name for f in part.state} == states, f"{where}: the states differ")
    require({f.name for f in part.input} == set(inputs) - states, f"{where}: the inputs differ")
    require([f.name for f in part.output] == list(block.outputs), f"{where}: the outputs differ")
    for feature in part.state:
        array = feature.type.stateType.arrayType
        require(array.dataType == ARRAY.FLOAT16, f"{where}: state '{feature.name}' is not fp16")
        require(not feature.type.isOptional, f"{where}: state '{feature.name}' is optional")
        check_array(f"{where}: '{feature.name}'", array, inputs[feature.name].wrapped_type(), False)
    for features, kinds, is_output in ((part.input, inputs, False), (part.output, outputs, True)):
        for feature in features:
            if feature.type.WhichOneof("Type") == "multiArrayType":
                check_array(f"{where}: '{feature.name}'", feature.type.multiArrayType,
                            kinds[feature.name], is_output)


def check_specification(spec):
    size = spec.ByteSize()
    spec.DiscardUnknownFields()
    require(spec.ByteSize() == size, "the specification has fields that coremltools does not know")
    require(spec.WhichOneof("Type") == "mlProgram", "the model is no ML Program")
    require(not spec.isUpdatable, "the model is updatable")
    require(needed_version(spec) <= spec.specificationVersion <= 10,
            f"the specification version is {spec.specificationVersion}, but the model needs "
            f"{needed_version(spec)}")
    description, functions = spec.description, spec.mlProgram.functions
    if description.functions:
        require(not description.input and not description.output and not description.state,
                "there are functions and features outside of them")
        names = [f.name for f in description.functions]
        require(sorted(names) == sorted(functions), f"described are {names}")
        require(description.defaultFunctionName in names, "the default function is not described")
        for part in description.functions:
            check_interface(f"function '{part.name}'", part, functions[part.name])
    else:
        require(list(functions) == ["main"], f"the one function is called {list(functions)}")
        check_interface("function 'main'", description, functions["main"])


def check(path):
    """Complains or gives (specification, folder with the model, words about it)."""
    folder, file = model_folder(path)
    spec = proto.Model_pb2.Model()
    spec.ParseFromString(file.read_bytes())
    check_specification(spec)
    blobs = check_blobs(spec, folder)
    try:
        milproto.load(spec, spec.specificationVersion, str(folder / "weights"))
    except Exception as error:
        raise Complaint(f"the MIL loader says: {type(error).__name__}: {error}") from error
    ops = sum(len(b.operations) for f in spec.mlProgram.functions.values()
              for b in f.block_specializations.values())
    words = f"{len(spec.mlProgram.functions)} functions, {ops} ops, {blobs} blobs"
    return spec, folder, words


# --- Do two packages hold the same? ---


def same_value(a, b, where):
    (x, x_context), (y, y_context) = a, b
    require(x.type == y.type, f"{where}: the types differ")
    if x.type.WhichOneof("type") == "listType":
        require(x == y, f"{where}: the lists differ")
        return
    p = np.asarray(milproto._load_value(x_context, x))
    q = np.asarray(milproto._load_value(y_context, y))
    require(p.dtype == q.dtype and p.shape == q.shape and p.tobytes() == q.tobytes(),
            f"{where}: the values differ")


def same_block(a, b, contexts, where):
    require(list(a.outputs) == list(b.outputs) and list(a.inputs) == list(b.inputs),
            f"{where}: inputs or outputs differ")
    require(len(a.operations) == len(b.operations), f"{where}: the number of ops differs")
    for x, y in zip(a.operations, b.operations):
        place = f"{where}, op '{x.outputs[0].name if x.outputs else x.type}'"
        require(x.type == y.type and list(x.outputs) == list(y.outputs), f"{place}: differs")
        require(set(x.attributes) == set(y.attributes), f"{place}: the attributes differ")
        require(set(x.inputs) == set(y.inputs), f"{place}: the parameters differ")
        for name in x.attributes:
            same_value((x.attributes[name], contexts[0]), (y.attributes[name], contexts[1]),
                       f"{place}, {name}")
        for name in x.inputs:
            p, q = x.inputs[name].arguments, y.inputs[name].arguments
            require(len(p) == len(q), f"{place}, {name}: the number of bindings differs")
            for m, n in zip(p, q):
                require(m.WhichOneof("binding") == n.WhichOneof("binding") and m.name == n.name,
                        f"{place}, {name}: the bindings differ")
                if m.WhichOneof("binding") == "value":
                    same_value((m.value, contexts[0]), (n.value, contexts[1]), f"{place}, {name}")
        require(len(x.blocks) == len(y.blocks), f"{place}: the number of blocks differs")
        for p, q in zip(x.blocks, y.blocks):
            same_block(p, q, contexts, place)


def program_attributes(spec):
    """By name; the entries of a dictionary have no order."""
    context = milproto.TranscriptionContext("")
    return {name: milproto._load_value(context, value)
            for name, value in spec.mlProgram.attributes.items()}


def same(a, b):
    (x, x_folder, _), (y, y_folder, _) = a, b
    require(x.specificationVersion == y.specificationVersion, "the versions differ")
    require(x.description == y.description, "the descriptions differ")
    require(program_attributes(x) == program_attributes(y), "the attributes differ")
    require(set(x.mlProgram.functions) == set(y.mlProgram.functions), "the functions differ")
    contexts = [milproto.TranscriptionContext(str(f / "weights")) for f in (x_folder, y_folder)]
    for name, f in x.mlProgram.functions.items():
        g = y.mlProgram.functions[name]
        require(f.opset == g.opset and list(f.inputs) == list(g.inputs), f"function '{name}' differs")
        same_block(f.block_specializations[f.opset], g.block_specializations[g.opset], contexts,
                   f"function '{name}'")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    parser.add_argument("--equal", action="store_true", help="two packages must hold the same")
    arguments = parser.parse_args()
    if ct.__version__ != "9.0":
        sys.exit(f"coremltools 9.0 is wanted, this is {ct.__version__}")
    packages = []
    for path in arguments.paths:
        packages += [path] if path.suffix == ".mlpackage" else sorted(path.rglob("*.mlpackage"))
    if not packages:
        sys.exit("there is no .mlpackage to check")
    failures, checked = 0, []
    for package in packages:
        try:
            checked.append(check(package))
            print(f"ok    {package}: {checked[-1][2]}", flush=True)
        except Exception as error:
            failures += 1
            print(f"FAIL  {package}: {error or type(error).__name__}", flush=True)
    if arguments.equal and failures == 0:
        if len(checked) != 2:
            sys.exit(f"--equal takes two packages, these are {len(checked)}")
        try:
            same(*checked)
            print("ok    the two are equal")
        except Complaint as error:
            failures += 1
            print(f"FAIL  the two differ: {error}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
