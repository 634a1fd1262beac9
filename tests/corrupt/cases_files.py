"""Files: the manifest, the specification as bytes, the weight file, and what else a path can lead to."""

import os
import shutil

from package import refused, specification_of, weights_of
from protobuf import put_field, put_varint

# --- The manifest. ---


@refused("has no Manifest.json")
def manifest_missing(p):
    p.manifest = None


@refused("Manifest.json: ")
def manifest_empty(p):
    p.manifest = ""


@refused("Manifest.json: ")
def manifest_cut(p):
    p.manifest = '{"fileFormatVersion": "1.0.0", "itemInfo'


@refused("Manifest.json: .*object is wanted")
def manifest_is_a_list(p):
    p.manifest = "[]"


@refused("Manifest.json: ")
def manifest_not_utf8(p):
    p.manifest = b'{"fileFormatVersion": "\xff\xfe"}'


@refused("Manifest.json: .*deep")
def manifest_nested_deep(p):
    p.manifest = "[" * 100000 + "]" * 100000


@refused("Manifest.json: .*rootModelIdentifier")
def manifest_without_root(p):
    del p.manifest["rootModelIdentifier"]


@refused("names none of the items")
def manifest_root_unknown(p):
    p.manifest["rootModelIdentifier"] = "nobody"


@refused("a string is wanted")
def manifest_root_is_a_number(p):
    p.manifest["rootModelIdentifier"] = 7


@refused("at most 1.0.0")
def manifest_of_a_later_version(p):
    p.manifest["fileFormatVersion"] = "1.0.1"


@refused("three numbers are wanted")
def manifest_version_is_no_version(p):
    p.manifest["fileFormatVersion"] = "99999999999999999999.0.0"


@refused("an object is wanted")
def manifest_items_are_a_list(p):
    p.manifest["itemInfoEntries"] = []


@refused("an object is wanted")
def manifest_item_is_text(p):
    p.manifest["itemInfoEntries"]["x"] = "com.apple.CoreML/model.mlmodel"


@refused("has no key 'path'")
def manifest_item_without_path(p):
    del p.item("model.mlmodel")["path"]


@refused("paths inside 'Data'")
def manifest_path_goes_up(p):
    p.item("model.mlmodel")["path"] = "../../values_ios15.mlpackage/Data/com.apple.CoreML/model.mlmodel"


@refused("paths inside 'Data'")
def manifest_path_goes_up_in_the_middle(p):
    p.item("model.mlmodel")["path"] = "com.apple.CoreML/../../Manifest.json"


@refused("paths inside 'Data'")
def manifest_path_is_absolute(p):
    p.item("model.mlmodel")["path"] = "/etc/hostname"


@refused("paths inside 'Data'")
def manifest_path_of_another_item_goes_up(p):
    p.item("weights")["path"] = "../Manifest.json"


@refused("paths inside 'Data'")
def manifest_path_is_empty(p):
    p.item("model.mlmodel")["path"] = ""


@refused("paths inside 'Data'")
def manifest_path_holds_a_null(p):
    p.item("model.mlmodel")["path"] = "com.apple.CoreML/model.mlmodel\0.txt"


@refused("which is missing")
def manifest_item_missing(p):
    p.item("weights")["path"] = "com.apple.CoreML/wheights"


@refused("at most 1024 bytes")
def manifest_path_is_long(p):
    p.item("model.mlmodel")["path"] = "x/" * 50000 + "y"


@refused("is not a regular file")
def manifest_root_is_a_folder(p):
    p.item("model.mlmodel")["path"] = "com.apple.CoreML"


@refused(r"item 'bell\\x07\\x1b\[31m\\x0a' has the path")
def manifest_name_with_control_characters(p):
    p.manifest["itemInfoEntries"]["bell\a\x1b[31m\n"] = {
        "path": "none", "name": "", "author": "", "description": ""}


# --- The specification's bytes. ---


@refused("model.mlmodel: is empty")
def specification_empty(p):
    p.raw = b""


@refused("cut short or damaged")
def specification_cut_in_half(p):
    p.raw = p.spec.encode()
    p.raw = p.raw[:len(p.raw) // 2]


@refused("cut short or damaged|no sound")
def specification_cut_by_one(p):
    p.raw = p.spec.encode()[:-1]


@refused("no Core ML specification|cut short")
def specification_is_text(p):
    p.raw = b"This is no protobuf, but long enough to look like something.\n" * 40


@refused("no protobuf field|cut short")
def specification_is_zeros(p):
    p.raw = bytes(4096)


@refused("cut short|no protobuf|no sound")
def specification_is_ones(p):
    p.raw = b"\xff" * 4096


@refused("cut short or damaged")
def specification_says_it_is_huge(p):
    p.raw = put_varint(502 << 3 | 2) + put_varint((1 << 62) - 1) + b"\0" * 100


@refused("not UTF-8")
def specification_text_not_utf8(p):
    p.spec.description.metadata.author = b"\xc3\x28"


@refused("nested more than 100 deep")
def specification_nested_deep(p):
    data = b""
    for _ in range(5000):
        data = put_field(3, put_field(2, put_field(2, put_field(1, data))))
    p.spec.ml_program.extra = put_field(2, put_field(1, b"main") + put_field(2, data))


@refused("nested more than 100 deep")
def specification_types_nested_deep(p):
    kind = p.op("y").outputs[0].type
    data = kind.encode()
    for _ in range(2000):
        data = put_field(3, put_field(1, data))
    kind.clear("tensor_type")
    kind.extra = data


@refused("holds no model")
def specification_without_a_model(p):
    p.spec.clear("ml_program")


@refused("is a neuralNetwork")
def specification_of_the_older_format(p):
    p.spec.clear("ml_program")
    p.spec.extra = put_field(500, b"")


@refused("is a (customModel|serializedModel)")
def specification_of_a_custom_model(p):
    p.spec.clear("ml_program")
    p.spec.extra = put_field(555, b"")


@refused("the model is")
def specification_of_two_types(p):
    p.spec.extra = put_field(500, b"")


@refused("updatable")
def specification_updatable(p):
    p.spec.is_updatable = True


@refused("specification version is 0")
def specification_version_zero(p):
    p.spec.clear("specification_version")


@refused("specification version is -1")
def specification_version_negative(p):
    p.spec.specification_version = -1


# --- The weight file. ---


@refused("weight.bin: .*past the end of the file")
def weights_cut_by_one(p):
    del p.weights["weight.bin"][-1:]


@refused("weight.bin: .*past the end of the file")
def weights_cut_in_a_record(p):
    del p.weights["weight.bin"][70:]


@refused("weight.bin: has 63 bytes")
def weights_cut_in_the_header(p):
    del p.weights["weight.bin"][63:]


@refused("weight.bin: has 0 bytes")
def weights_empty(p):
    del p.weights["weight.bin"][:]


@refused("weight.bin: cannot be opened: No such file")
def weights_missing(p):
    del p.weights["weight.bin"]


@refused("which is missing")
def weights_folder_missing(p):
    p.weights = None


@refused("version 3 of the blob format")
def weights_of_another_version(p):
    p.poke(4, "<I", 3)


@refused("has no record")
def blob_without_sentinel(p):
    p.poke(64, "<I", 0xDEADBEEE)


@refused("is fp16, but is used as fp32")
def blob_of_another_dtype(p):
    p.poke(68, "<I", 1)


@refused("unknown data type 4294967295")
def blob_of_no_dtype(p):
    p.poke(68, "<I", 0xFFFFFFFF)


@refused("has 49 bytes")
def blob_size_off_by_one(p):
    p.poke(72, "<Q", 49)


@refused("has 18446744073709551615 bytes")
def blob_size_huge(p):
    p.poke(72, "<Q", (1 << 64) - 1)


@refused("past the end of the file")
def blob_data_past_the_end(p):
    p.poke(80, "<Q", 1 << 40)


@refused("data lies at multiples of 64|past the end")
def blob_data_offset_wraps_around(p):
    p.poke(80, "<Q", (1 << 64) - 64)


@refused("data lies at multiples of 64")
def blob_data_unaligned(p):
    p.poke(80, "<Q", 130)


@refused("data lies at multiples of 64 after the header")
def blob_data_in_the_header(p):
    p.poke(80, "<Q", 0)


@refused("offsets are multiples of 64 from 64 on")
def blob_offset_zero(p):
    p.blob("big").offset = 0


@refused("offsets are multiples of 64")
def blob_offset_unaligned(p):
    p.blob("big").offset = 65


@refused("record past the end of the file")
def blob_offset_past_the_end(p):
    p.blob("big").offset = 1 << 30


@refused("record past the end of the file")
def blob_offset_wraps_around(p):
    p.blob("big").offset = (1 << 64) - 64


@refused("padding", base="compressed_ios18")
def blob_padding_lies(p):
    data = p.weights["weight.bin"]
    at = 64
    while int.from_bytes(data[at + 4:at + 8], "little") not in (8, 9, 10, 11, 12, 13):
        at += 64
    p.poke(at + 24, "<Q", 1 << 60)


@refused("paths inside '@model_path/'")
def blob_file_goes_up(p):
    p.blob("big").file_name = "@model_path/../../Manifest.json"


@refused("paths inside '@model_path/'")
def blob_file_absolute(p):
    p.blob("big").file_name = "/etc/hostname"


@refused("paths inside '@model_path/'")
def blob_file_without_a_name(p):
    p.blob("big").file_name = ""


@refused("cannot be opened")
def blob_file_of_another_name(p):
    p.blob("big").file_name = "@model_path/weights/other.bin"


@refused("at most 1024 bytes")
def blob_file_of_a_long_name(p):
    p.blob("big").file_name = "@model_path/" + "w" * 100000


@refused("is not a regular file|header")
def blob_file_is_a_folder(p):
    p.blob("big").file_name = "@model_path/weights"


# --- What a path can lead to. ---


def replaced(place, make):
    def after(path):
        file = place(path)
        if file.is_dir():
            shutil.rmtree(file)
        else:
            os.unlink(file)
        make(file)
    return after


@refused("model.mlmodel: is not a regular file", after=replaced(specification_of, os.mkfifo))
def specification_is_a_pipe(p):
    pass


@refused("weight.bin: is not a regular file", after=replaced(weights_of, os.mkfifo))
def weights_are_a_pipe(p):
    pass


@refused("Manifest.json: is not a regular file", after=replaced(lambda p: p / "Manifest.json", os.mkfifo))
def manifest_is_a_pipe(p):
    pass


@refused("weight.bin: is not a regular file",
         after=replaced(weights_of, lambda file: os.symlink("/dev/zero", file)))
def weights_are_a_device(p):
    pass


@refused("which is missing|cannot be opened",
         after=replaced(specification_of, lambda file: os.symlink("model.mlmodel", file)))
def specification_is_a_link_to_itself(p):
    pass


@refused("weight.bin: cannot be opened",
         after=replaced(weights_of, lambda file: os.symlink("nowhere", file)))
def weights_are_a_link_to_nothing(p):
    pass


@refused("weight.bin: is not a regular file", after=replaced(weights_of, os.mkdir))
def weights_are_a_folder(p):
    pass


@refused("is a file; a package", after=lambda path: (shutil.rmtree(path), path.write_bytes(b"PK\3\4")))
def package_is_a_file(p):
    pass


@refused("has no Manifest.json", after=lambda path: (shutil.rmtree(path), path.mkdir()))
def package_is_an_empty_folder(p):
    pass


@refused(r"compiled model \(.mlmodelc\)|has no Manifest.json",
         after=lambda path: (shutil.rmtree(path), path.mkdir(), (path / "coremldata.bin").write_bytes(b"")))
def package_is_compiled(p):
    pass
