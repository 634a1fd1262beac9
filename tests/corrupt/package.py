"""A package in pieces that a case may change, and the list of cases."""

import json
import pathlib
import shutil
import struct

DATA = "Data/com.apple.CoreML"
FLOAT16, FLOAT32, INT32 = 65552, 65568, 131104  # feature dtypes
MIL = {"bool": 1, "string": 2, "fp16": 10, "fp32": 11, "int8": 21, "int32": 23, "int64": 24, "uint8": 31}


class Package:
    """spec: the parsed specification; raw: its bytes, if a case sets them; weights: bytes by file name;
    manifest: the parsed manifest, or text, or None for no such file."""

    def __init__(self, source, schema):
        self.schema = schema
        self.spec = schema.parse("Model", (source / DATA / "model.mlmodel").read_bytes())
        self.raw = None
        self.manifest = json.loads((source / "Manifest.json").read_text())
        self.weights = {}
        for file in sorted((source / DATA / "weights").glob("*")):
            self.weights[file.name] = bytearray(file.read_bytes())

    def write(self, path):
        if path.is_file():
            path.unlink()
        shutil.rmtree(path, ignore_errors=True)
        (path / DATA).mkdir(parents=True)
        (path / DATA / "model.mlmodel").write_bytes(self.spec.encode() if self.raw is None else self.raw)
        if self.weights is not None:
            (path / DATA / "weights").mkdir()
            for name, data in self.weights.items():
                (path / DATA / "weights" / name).write_bytes(data)
        if self.manifest is not None:
            text = self.manifest if isinstance(self.manifest, (str, bytes)) else json.dumps(self.manifest)
            (path / "Manifest.json").write_bytes(text.encode() if isinstance(text, str) else text)

    # Shorter ways to what cases change.

    @property
    def program(self):
        return self.spec.ml_program

    def function(self, name="main"):
        return self.program.entry("functions", name)

    def block(self, name="main"):
        return self.function(name).block_specializations[0].value

    def op(self, output, block=None):
        """The op that gives the value of that name, in nested blocks too."""
        for op in (block or self.block(self.program.functions[0].key)).operations:
            if any(value.name == output for value in op.outputs):
                return op
            for nested in op.blocks:
                found = self.op(output, nested) if nested.operations else None
                if found is not None:
                    return found
        return None

    def item(self, name):
        """The manifest's entry of that name."""
        return next(i for i in self.manifest["itemInfoEntries"].values() if i["name"] == name)

    def blob(self, name):
        """The value of the const `name`, which lies in the weight file."""
        return self.op(name).entry("attributes", "val").blob_file_value

    def poke(self, at, form, value, name="weight.bin"):
        struct.pack_into(form, self.weights[name], at, value)


def set_shape(value_type, shape):
    tensor = value_type.tensor_type
    tensor.rank = len(shape)
    tensor.dimensions = []
    for extent in shape:
        dimension = tensor.add("dimensions")
        if extent is None:
            dimension.unknown.variadic = False
        else:
            dimension.constant.size = extent


def set_attribute(op, name, value):
    entry = op.add("attributes")
    entry.key, entry.value = name, value


def string_value(message, text):
    """An immediate string, for a field of type Value that `message` has under `value`."""
    message.type.tensor_type.data_type = MIL["string"]
    message.immediate_value.tensor.strings.values = [text]
    return message


def inputs_of(source, schema):
    """Numbers for every input of the default function: dtype, shape, bytes by name."""
    description = Package(source, schema).spec.description
    features = description.input
    for function in description.functions:
        if function.name == description.default_function_name:
            features = function.input
    inputs = {}
    for feature in features:
        array = feature.type.multi_array_type
        count = 1
        for extent in array.shape:
            count *= extent
        form, dtype = ("i", "<i4") if array.data_type == INT32 else ("f", "<f4")
        values = [0 if form == "i" else 0.25 * (i % 7) - 0.5 for i in range(count)]
        inputs[feature.name] = (dtype, array.shape, struct.pack(f"<{count}{form}", *values))
    return inputs


class Case:
    def __init__(self, change, base, says, after):
        self.name = change.__name__
        self.change, self.base, self.says, self.after = change, base, says, after


ALL = []


def refused(says, base="values_ios15", after=None):
    """The package must be refused, by one line that has these words (a regular expression)."""
    return lambda change: ALL.append(Case(change, base, says, after)) or change


def runs(base="values_ios15", after=None):
    """The package must compute what the sound one does."""
    return lambda change: ALL.append(Case(change, base, None, after)) or change


def specification_of(path):
    return pathlib.Path(path) / DATA / "model.mlmodel"


def weights_of(path, name="weight.bin"):
    return pathlib.Path(path) / DATA / "weights" / name
