"""Types and constants."""

from package import MIL, refused, set_shape, string_value


def value_of(p, name):
    return p.op(name).entry("attributes", "val")


def const_of(p, op, parameter):
    """The const op behind a parameter."""
    return p.op(p.op(op).entry("inputs", parameter).arguments[0].name)


# --- Types. ---


@refused("unknown data type 99")
def type_of_no_dtype(p):
    p.op("y").outputs[0].type.tensor_type.data_type = 99


@refused("a type is none of")
def type_of_nothing(p):
    p.op("y").outputs[0].type.clear("tensor_type")


@refused("says rank 3 and lists 2")
def type_rank_lies(p):
    p.op("y").outputs[0].type.tensor_type.rank = 3


@refused("says rank 9223372036854775807")
def type_rank_huge(p):
    p.op("y").outputs[0].type.tensor_type.rank = (1 << 63) - 1


@refused("a dimension is 18446744073709551615")
def type_extent_huge(p):
    set_shape(p.op("y").outputs[0].type, [2, (1 << 64) - 1])


@refused(r"more than 2\^48 elements")
def type_product_overflows(p):
    set_shape(p.op("y").outputs[0].type, [1 << 32, 1 << 32])


@refused("lists 100000 dimensions; at most 64")
def type_of_many_dimensions(p):
    set_shape(p.op("y").outputs[0].type, [2] * 100000)


@refused("")
def input_of_a_huge_shape(p):
    shape = [1 << 24, 1 << 23]
    set_shape(p.function().inputs[0].type, shape)
    p.spec.description.input[0].type.multi_array_type.shape = shape


@refused("")
def input_of_a_string(p):
    p.function().inputs[0].type.tensor_type.data_type = MIL["string"]


@refused("allowed are tensors and states")
def input_of_a_list(p):
    kind = p.function().inputs[0].type
    kind.list_type.type.tensor_type = kind.tensor_type
    kind.clear("tensor_type")


@refused("")
def input_of_unknown_rank(p):
    tensor = p.function().inputs[0].type.tensor_type
    tensor.dimensions = tensor.dimensions[:1]
    tensor.dimensions[0].clear("constant")
    tensor.dimensions[0].unknown.variadic = True


# --- Constants. ---


@refused("has no attribute 'val'")
def const_without_a_value(p):
    op = p.op("small") or const_of(p, "z", "y")
    op.attributes = [a for a in op.attributes if a.key != "val"]


@refused("holds nothing")
def const_of_an_empty_value(p):
    value = value_of(p, "big")
    value.clear("blob_file_value")


@refused("stands in 'nothing'|holds no tensor|belongs in 'floats'")
def const_of_no_elements(p):
    value_of(p, "many_ints").immediate_value.tensor.clear("ints")


@refused("stands in 'floats'; it belongs in 'ints'")
def const_in_the_wrong_member(p):
    tensor = value_of(p, "many_ints").immediate_value.tensor
    tensor.clear("ints")
    tensor.floats.values = [1.0] * 12


@refused("holds 11 elements; it needs 12")
def const_an_element_short(p):
    del value_of(p, "many_ints").immediate_value.tensor.ints.values[0]


@refused("holds 13 elements; it needs 12")
def const_an_element_long(p):
    value_of(p, "many_ints").immediate_value.tensor.ints.values.append(1)


@refused("")
def const_immediate_that_says_it_is_huge(p):
    value = value_of(p, "many_ints")
    set_shape(value.type, [1 << 40])
    set_shape(p.op("many_ints").outputs[0].type, [1 << 40])


@refused("")
def const_blob_that_says_it_is_huge(p):
    value = value_of(p, "big")
    set_shape(value.type, [1 << 40])
    set_shape(p.op("big").outputs[0].type, [1 << 40])


@refused("its output is declared as")
def const_declared_as_something_else(p):
    set_shape(p.op("big").outputs[0].type, [4, 3])


@refused("says no extent")
def const_of_an_unknown_extent(p):
    set_shape(value_of(p, "many_ints").type, [None])


@refused("cannot hold elements of bool")
def const_blob_of_bools(p):
    value = value_of(p, "flags")
    value.clear("immediate_value")
    value.blob_file_value.file_name = "@model_path/weights/weight.bin"
    value.blob_file_value.offset = 64


@refused("cannot hold elements of string|an immediate string")
def const_name_in_a_blob(p):
    value = p.op("y").entry("attributes", "name")
    value.clear("immediate_value")
    value.blob_file_value.file_name = "@model_path/weights/weight.bin"


@refused("")
def op_name_is_a_list_of_none(p):
    p.op("y").entry("attributes", "name").immediate_value.tensor.strings.values = []


@refused("")
def const_holds_a_tuple(p):
    value = value_of(p, "many_ints")
    value.clear("immediate_value")
    value.immediate_value.tuple.extra = b""


@refused("")
def cast_to_no_dtype(p):
    value = const_of(p, "t", "dtype").entry("attributes", "val")
    value.immediate_value.tensor.strings.values = ["fp33\n\x1b[31m"]


@refused("")
def const_bool_is_a_word(p):
    op = const_of(p, "y", "transpose_x")
    value = op.entry("attributes", "val")
    string_value(value, "true")
    op.outputs[0].type.tensor_type.data_type = MIL["string"]


# --- Compressed constants. ---


def literal(p, op, parameter):
    return p.op(op).entry("inputs", parameter).arguments[0].value


@refused("", base="compressed_ios18")
def blockwise_scale_does_not_divide(p):
    value = literal(p, "blockwise", "scale")
    set_shape(value.type, [3, 2])
    value.clear("blob_file_value")
    value.immediate_value.tensor.bytes.values = bytes(12)


@refused("", base="compressed_ios18")
def blockwise_scale_of_another_rank(p):
    set_shape(literal(p, "blockwise", "scale").type, [16])


@refused("", base="compressed_ios18")
def lut_too_short(p):
    value = literal(p, "lut4", "lut")
    set_shape(value.type, [1, 1, 8, 1])
    value.clear("blob_file_value")
    value.immediate_value.tensor.bytes.values = bytes(16)


@refused("", base="compressed_ios18")
def sparse_of_fewer_values_than_the_mask_has(p):
    value = literal(p, "joint_0", "indices_nonzero_data")
    set_shape(value.type, [9])
    value.clear("blob_file_value")
    value.immediate_value.tensor.bytes.values = bytes(3)


@refused("", base="compressed_ios16")
def affine_scale_of_another_length(p):
    value = p.op("affine").entry("attributes", "scale")
    set_shape(value.type, [7])
    value.immediate_value.tensor.bytes.values = bytes(14)


@refused("", base="compressed_ios16")
def affine_axis_out_of_range(p):
    value = p.op("affine").entry("attributes", "axis")
    value.immediate_value.tensor.ints.values = [99]
    scale = p.op("affine").entry("attributes", "scale")
    set_shape(scale.type, [4])
    scale.immediate_value.tensor.bytes.values = bytes(8)


@refused("", base="compressed_ios16")
def lut_shape_lies(p):
    value = p.op("lut").entry("attributes", "shape")
    value.immediate_value.tensor.bytes.values = b"\xff\xff\xff\xff\xff\xff\xff\xff"


@refused("", base="compressed_ios16")
def sparse_mask_short(p):
    value = p.op("sparse").entry("attributes", "mask")
    set_shape(value.type, [1])
    value.immediate_value.tensor.bytes.values = b"\xff"


@refused("", base="strings_ios16")
def classes_fewer_than_odds(p):
    op = next(o for o in p.block().operations if o.type == "classify")
    value = op.entry("inputs", "classes").arguments[0].value
    del value.immediate_value.list.values[1:]
    value.type.list_type.length.constant.size = 1


@refused("", base="strings_ios16")
def classes_of_two_types(p):
    op = next(o for o in p.block().operations if o.type == "classify")
    value = op.entry("inputs", "classes").arguments[0].value.immediate_value.list.values[0]
    value.type.tensor_type.data_type = MIL["int64"]
