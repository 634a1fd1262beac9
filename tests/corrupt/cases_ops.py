"""Ops whose parameters ask for what cannot be: each is put between the sound program's `y` ([2, 4]) and nobody."""

from package import MIL, refused, set_shape, string_value

BIG = (1 << 31) - 1
NAN, INFINITY = float("nan"), float("inf")
IMAGE = "image"  # y as [1, 1, 2, 4]


def constant(p, name, value):
    """A `const` of that value: a number, a list, a nested list of floats (4 deep), text or a bool."""
    op = p.block().add("operations")
    op.type = "const"
    op.add("outputs").name = name
    entry = op.add("attributes")
    entry.key = "val"
    tensor = entry.value
    if isinstance(value, str):
        string_value(tensor, value)
    else:
        shape, flat = [], value
        while isinstance(flat, list):
            shape.append(len(flat))
            flat = flat[0] if flat and isinstance(flat[0], list) else flat[0] if len(flat) else 0
        items = value
        for _ in shape[1:]:
            items = [x for row in items for x in row]
        items = items if isinstance(items, list) else [items]
        kind = "bool" if isinstance(flat, bool) else "fp32" if isinstance(flat, float) else "int32"
        tensor.type.tensor_type.data_type = MIL[kind]
        set_shape(tensor.type, shape)
        field = {"bool": "bools", "fp32": "floats", "int32": "ints"}[kind]
        getattr(tensor.immediate_value.tensor, field).values = items
    op.outputs[0].type = tensor.type.copy()


def append(p, kind, parameters, outputs=1):
    if IMAGE in parameters.values():
        constant(p, "image_shape", [1, 1, 2, 4])
        reshape(p)
    names = {}
    for name, value in parameters.items():
        if value in ("y", IMAGE) or value == ["y", "y"]:
            names[name] = value if isinstance(value, list) else [value]
        else:
            names[name] = ["wild_" + name]
            constant(p, "wild_" + name, value)
    op = p.block().add("operations")
    op.type = kind
    bind(op, names)
    for i in range(outputs):
        output = op.add("outputs")
        output.name = f"wild_{i}"
        output.type.tensor_type.data_type = MIL["fp32"]
        set_shape(output.type, [1])


def reshape(p):
    op = p.block().add("operations")
    op.type = "reshape"
    bind(op, {"x": ["y"], "shape": ["image_shape"]})
    output = op.add("outputs")
    output.name = IMAGE
    output.type.tensor_type.data_type = MIL["fp32"]
    set_shape(output.type, [1, 1, 2, 4])


def bind(op, names):
    for name, arguments in names.items():
        entry = op.add("inputs")
        entry.key = name
        for argument in arguments:
            entry.value.add("arguments").name = argument


WEIGHT = [[[[1.0, 2.0]]]]
CONV = {"x": IMAGE, "weight": WEIGHT, "pad_type": "custom", "strides": [1, 1], "dilations": [1, 1],
        "pad": [0, 0, 0, 0], "groups": 1}
POOL = {"x": IMAGE, "kernel_sizes": [1, 2], "strides": [1, 1], "pad_type": "custom", "pad": [0, 0, 0, 0],
        "ceil_mode": False}
TABLE = (
    ("conv_of_no_stride", "conv", {**CONV, "strides": [0, 1]}, "'strides' holds 0"),
    ("conv_of_negative_dilation", "conv", {**CONV, "dilations": [-1, 1]}, "'dilations' holds -1"),
    ("conv_of_no_groups", "conv", {**CONV, "groups": 0}, "'groups' is 0"),
    ("conv_padded_without_end", "conv", {**CONV, "pad": [BIG] * 4}, "more elements than any memory holds"),
    ("conv_dilated_without_end", "conv", {**CONV, "dilations": [BIG, BIG]}, "does not fit"),
    ("conv_padded_in_a_wild_way", "conv", {**CONV, "pad_type": "wild"}, "'pad_type' is 'wild'; allowed"),
    ("pool_of_nothing", "max_pool", {**POOL, "kernel_sizes": [0, 1]}, "'kernel_sizes' holds 0"),
    ("pool_of_negative_padding", "avg_pool",
     {**POOL, "exclude_padding_from_average": True, "pad": [-1, 0, 0, 0]}, "'pad' holds -1"),
    ("reshape_of_two_open_axes", "reshape", {"x": "y", "shape": [-1, -1]}, "'shape'"),
    ("reshape_without_end", "reshape", {"x": "y", "shape": [BIG, BIG]}, "cannot make"),
    ("split_into_nothing", "split", {"x": "y", "num_splits": 0, "axis": 1}, "splits into 0 parts"),
    ("split_into_less_than_nothing", "split", {"x": "y", "split_sizes": [-1, 5], "axis": 1}, "'split_sizes'"),
    ("concat_along_a_far_axis", "concat", {"values": ["y", "y"], "axis": 7, "interleave": False}, "'axis' is 7"),
    ("transpose_of_one_axis_twice", "transpose", {"x": "y", "perm": [0, 0]}, "'perm'"),
    ("expand_dims_forty_times", "expand_dims", {"x": "y", "axes": list(range(40))}, "adds 40 axes"),
    ("topk_of_more_than_there_are", "topk", {"x": "y", "k": 99, "axis": 1, "ascending": False}, "99"),
    ("tile_without_end", "tile", {"x": "y", "reps": [BIG, BIG]}, "more elements than any memory holds"),
    ("tile_backwards", "tile", {"x": "y", "reps": [-1, 1]}, "'reps' holds -1"),
    ("pad_without_end", "pad",
     {"x": "y", "pad": [BIG] * 4, "mode": "constant", "constant_val": 0.0}, "more elements than any memory holds"),
    ("pad_by_reflecting_too_much", "pad", {"x": "y", "pad": [9, 9], "mode": "reflect", "constant_val": 0.0}, "reflect"),
    ("pad_in_a_wild_way", "pad", {"x": "y", "pad": [1, 1], "mode": "wild", "constant_val": 0.0}, "'mode' is 'wild'"),
    ("reduce_one_axis_twice", "reduce_sum", {"x": "y", "axes": [1, 1], "keep_dims": False}, "names axis 1 twice"),
    ("softmax_of_a_far_axis", "softmax", {"x": "y", "axis": -3}, "'axis' is -3"),
    ("slice_of_no_stride", "slice_by_index",
     {"x": "y", "begin": [0, 0], "end": [2, 4], "stride": [0, 1]}, "the stride of axis 0 is 0"),
    ("slice_of_more_than_there_is", "slice_by_size", {"x": "y", "begin": [1, 3], "size": [9, 9]}, "takes 9 elements"),
    ("gather_from_outside", "gather", {"x": "y", "indices": [99], "axis": 0}, None),
    ("one_hot_without_end", "one_hot",
     {"indices": [[1, 2]] * 4, "one_hot_vector_size": BIG, "axis": -1, "on_value": 1, "off_value": 0}, "output|memory"),
    ("fill_without_end", "fill", {"shape": [BIG] * 5, "value": 1.0}, "more elements than any memory holds"),
    ("range_of_no_step", "range_1d", {"start": 0.0, "end": 5.0, "step": 0.0}, "by 0"),
    ("range_to_nowhere", "range_1d", {"start": 0.0, "end": NAN, "step": 1.0}, "nan"),
    ("range_without_end", "range_1d", {"start": 0.0, "end": 3e38, "step": 1e-30}, "counts from 0"),
    ("random_without_end", "random_normal",
     {"shape": [BIG, BIG], "mean": 0.0, "stddev": 1.0, "seed": 1}, "more elements than any memory holds"),
    ("resize_without_end", "resize_bilinear",
     {"x": IMAGE, "target_size_height": BIG, "target_size_width": BIG, "sampling_mode": "DEFAULT"},
     "more elements than any memory holds"),
    ("resize_to_nothing", "resize_bilinear",
     {"x": IMAGE, "target_size_height": 0, "target_size_width": 1, "sampling_mode": "DEFAULT"}, "to 0"),
    ("upsample_by_infinity", "upsample_bilinear",
     {"x": IMAGE, "scale_factor_height": INFINITY, "scale_factor_width": 1.0, "align_corners": False}, "is inf"),
    ("crop_of_more_than_there_is", "crop", {"x": IMAGE, "crop_height": [9, 9], "crop_width": [0, 0]}, "crop"),
    ("pixel_shuffle_by_nothing", "pixel_shuffle", {"x": IMAGE, "upscale_factor": 0}, "'upscale_factor' is 0"),
    ("space_to_depth_of_no_blocks", "space_to_depth", {"x": IMAGE, "block_size": 0}, "'block_size' is 0"),
    ("norm_over_a_far_axis", "layer_norm", {"x": "y", "axes": [9], "epsilon": 1e-5}, "'axes' holds 9"),
    ("norm_of_other_channels", "batch_norm",
     {"x": IMAGE, "mean": [1.0] * 5, "variance": [1.0]}, r"'mean' has shape \[5\]; expected \[1\]"),
    ("sliding_windows_too_wide", "sliding_windows", {"x": "y", "axis": 1, "size": 99, "stride": 1}, "99"),
    ("scatter_in_a_wild_way", "scatter",
     {"data": "y", "indices": [0], "updates": [[1.0] * 4], "axis": 0, "mode": "wild"}, "'mode' is 'wild'"),
    ("cumsum_along_a_far_axis", "cumsum", {"x": "y", "axis": 9, "exclusive": False, "reverse": False}, "'axis' is 9"),
    ("cast_to_a_wild_type", "cast", {"x": "y", "dtype": "complex128"}, "'complex128'"),
    ("matmul_of_what_does_not_fit", "matmul",
     {"x": "y", "y": "y", "transpose_x": False, "transpose_y": False}, "cannot multiply x"),
)


def make(name, kind, parameters, says):
    def change(p):
        append(p, kind, parameters, outputs=2 if kind in ("split", "topk") else 1)

    change.__name__ = name
    # Nothing is wrong with an index past the end until it is looked up: then the declared shape is.
    refused(rf"op 'wild_0' \({kind}\): .*" + (says or "is declared as"))(change)


for row in TABLE:
    make(*row)
