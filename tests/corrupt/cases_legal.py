"""Packages that look odd and are legal: each computes what the plain one does."""

import os
import shutil

from package import DATA, runs, set_shape, specification_of, string_value, weights_of
from protobuf import put_field, put_varint


@runs()
def untouched(p):
    pass


@runs()
def doc_strings(p):
    p.program.doc_string = "what it is for"
    p.op("big").entry("attributes", "val").doc_string = "a weight"


@runs()
def fields_of_a_later_format(p):
    p.spec.extra = put_field(77, b"later") + put_varint(78 << 3) + b"\x01"
    p.block().extra = put_field(99, b"later")
    p.op("y").extra = put_field(15, b"later")


@runs()
def numbers_not_packed(p):
    p.op("many_ints").entry("attributes", "val").immediate_value.tensor.ints.unpacked = True


@runs()
def program_in_two_pieces(p):
    """Protobuf joins what comes in pieces."""
    version = p.schema.parse("Program", b"")
    version.version = 1
    rest = p.spec.ml_program
    rest.clear("version")
    p.spec.clear("ml_program")
    p.spec.extra = put_field(502, version.encode()) + put_field(502, rest.encode())


@runs()
def fields_in_another_order(p):
    description = p.spec.description
    p.spec.clear("description")
    p.raw = p.spec.encode() + put_field(2, description.encode())


@runs()
def no_build_info(p):
    p.program.attributes = []


@runs()
def blocks_for_other_opsets_too(p):
    other = p.function().block_specializations[0].copy()
    other.key = "CoreML99"
    other.value.operations[-1].type = "what_will_come"
    p.function().block_specializations.append(other)


@runs()
def a_later_specification_version(p):
    p.spec.specification_version = 9


@runs()
def a_function_of_another_name(p):
    p.program.functions[0].key = "predict"


@runs()
def ops_without_names(p):
    for op in p.block().operations:
        op.attributes = [a for a in op.attributes if a.key != "name"]


@runs()
def ops_of_one_name(p):
    for op in p.block().operations:
        op.entry("attributes", "name").immediate_value.tensor.strings.values = ["same"]


@runs()
def an_op_of_a_wild_name(p):
    p.op("y").entry("attributes", "name").immediate_value.tensor.strings.values = ["y/1:0 \u2603"]


@runs()
def an_op_nobody_uses(p):
    op = p.op("y").copy()
    op.outputs[0].name = "unused"
    p.block().operations.append(op)


@runs()
def ranges_of_one(p):
    array = p.spec.description.input[0].type.multi_array_type
    for extent in (2, 3):
        one = array.shape_range.add("size_ranges")
        one.lower_bound = one.upper_bound = extent


@runs()
def an_output_without_a_shape(p):
    p.spec.description.output[0].type.multi_array_type.shape = []


@runs()
def an_extent_left_open(p):
    """The type says less than it could."""
    set_shape(p.op("y").outputs[0].type, [2, None])


@runs()
def identifiers_of_any_form(p):
    items = {str(i): item for i, item in enumerate(p.manifest["itemInfoEntries"].values())}
    p.manifest["itemInfoEntries"] = items
    p.manifest["rootModelIdentifier"] = next(i for i, item in items.items() if item["name"] == "model.mlmodel")


@runs()
def manifest_with_more(p):
    p.manifest["comment"] = {"deep": [[[]]]}
    p.item("model.mlmodel")["size"] = 12
    p.manifest["itemInfoEntries"]["readme"] = {
        "path": "com.apple.CoreML", "name": "folder", "author": "me", "description": ""}


@runs()
def weights_not_in_the_manifest(p):
    """The reader of coremltools looks at listed items alone, and at the weights where the model says."""
    p.manifest["itemInfoEntries"] = {
        i: item for i, item in p.manifest["itemInfoEntries"].items() if item["name"] != "weights"}


@runs()
def an_earlier_manifest(p):
    p.manifest["fileFormatVersion"] = "0.9.7"


@runs()
def weights_with_noise_between(p):
    """Fields that writers before iOS 18 left as they were."""
    for at in list(range(8, 64, 8)) + list(range(88, 128, 8)):
        p.poke(at, "<Q", 0xABABABABABABABAB)


@runs()
def weights_of_a_wrong_count(p):
    p.poke(0, "<I", 77)


@runs()
def weights_with_a_tail(p):
    p.weights["weight.bin"] += bytes(1000)


@runs()
def weights_of_another_name(p):
    p.weights["w 1.bin"] = p.weights.pop("weight.bin")
    p.blob("big").file_name = "@model_path/weights/w 1.bin"


def in_a_cache(path):
    """As a hub's cache has it: every file is a link to one outside of the package."""
    store = path.parent / (path.name + ".blobs")
    shutil.rmtree(store, ignore_errors=True)
    store.mkdir()
    for number, file in enumerate((specification_of(path), weights_of(path), path / "Manifest.json")):
        shutil.move(file, store / str(number))
        os.symlink(os.path.relpath(store / str(number), file.parent), file)


@runs(after=in_a_cache)
def files_that_are_links(p):
    pass


def with_more_files(path):
    (path / ".DS_Store").write_bytes(b"\0")
    (path / DATA / "weights" / "notes.txt").write_text("nobody reads this")
    (path / "executorch_debug_handle_mapping.json").write_text("{}")


@runs(after=with_more_files)
def files_that_nothing_names(p):
    pass


@runs(base="functions_ios18")
def a_function_that_is_not_described(p):
    """And so cannot be called."""
    p.spec.description.functions = [f for f in p.spec.description.functions if f.name == "decode"]


@runs(base="blocks_ios17")
def one_name_in_blocks_side_by_side(p):
    p.op("sq").outputs[0].name = "more"
    p.op("y").blocks[1].outputs = ["more"]


@runs(base="strings_ios16")
def classes_of_no_stated_length(p):
    op = next(o for o in p.block().operations if o.type == "classify")
    length = op.entry("inputs", "classes").arguments[0].value.type.list_type.length
    length.clear("constant")
    length.unknown.variadic = False


@runs()
def metadata_of_many_kinds(p):
    metadata = p.spec.description.metadata
    for i in range(200):
        entry = metadata.add("user_defined")
        entry.key, entry.value = f"key {i} \u00e4", "value\n" * 10


@runs()
def a_feature_described_at_length(p):
    p.spec.description.input[0].short_description = "long " * 5000


@runs()
def build_info_of_other_tools(p):
    dictionary = next(e for e in p.program.attributes if e.key == "buildInfo")
    pair = dictionary.value.immediate_value.dictionary.add("values")
    string_value(pair.key, "tool")
    string_value(pair.value, "another")
