"""Functions, blocks, ops, names and the description."""

from package import MIL, refused, runs, set_attribute, set_shape, string_value
from protobuf import put_field

# --- The program and its functions. ---


@refused("version 2; version 1 is handled")
def program_of_another_version(p):
    p.program.version = 2


@refused("the ML Program has no functions")
def program_empty(p):
    p.program.functions = []


@refused("has the attribute 'secret'")
def program_with_an_unknown_attribute(p):
    entry = p.program.add("attributes")
    entry.key = "secret"
    string_value(entry.value, "x")


@refused("buildInfo.*no dictionary")
def program_build_info_is_no_dictionary(p):
    entry = next(e for e in p.program.attributes if e.key == "buildInfo")
    entry.value.clear("type")
    string_value(entry.value, "x")


@refused("at most 4096")
def program_of_many_functions(p):
    function = p.program.functions[0]
    for i in range(5000):
        copy = function.copy()
        copy.key = f"f{i}"
        copy.value = function.new("value")
        p.program.functions.append(copy)


@refused("'CoreML99'; known are CoreML5")
def function_of_an_unknown_opset(p):
    p.function().opset = "CoreML99"


@refused("opset ''")
def function_without_an_opset(p):
    p.function().clear("opset")


@refused("has no block")
def function_without_blocks(p):
    p.function().block_specializations = []


@refused("has blocks only for 'CoreML8'")
def function_without_a_block_for_its_opset(p):
    p.function().block_specializations[0].key = "CoreML8"


@refused("has the attribute 'x'; none are known")
def function_with_attributes(p):
    entry = p.function().add("attributes")
    entry.key = "x"
    string_value(entry.value, "x")


@refused("its block has inputs")
def function_block_with_inputs(p):
    value = p.block().add("inputs")
    value.name = "more"
    value.type = p.function().inputs[0].type


@refused("no identifier")
def function_of_a_bad_name(p):
    p.program.functions[0].key = "ma\x1b[31min\n"


@refused("describes one function, but the program has 'a'.* and no 'main'")
def function_main_missing(p):
    p.program.functions[0].key = "a"
    other = p.program.functions[0].copy()
    other.key = "b"
    p.program.functions.append(other)


@refused("the default function", base="functions_ios18")
def function_default_missing(p):
    p.spec.description.default_function_name = "none"


@refused("the default function", base="functions_ios18")
def function_default_not_said(p):
    p.spec.description.clear("default_function_name")


@refused("describes a function 'decode'", base="functions_ios18")
def function_described_but_missing(p):
    p.program.functions = [f for f in p.program.functions if f.key != "decode"]


@refused("describes function 'decode' twice", base="functions_ios18")
def function_described_twice(p):
    p.spec.description.functions.append(p.spec.description.functions[0].copy())


@refused("as well as features outside", base="functions_ios18")
def function_features_outside(p):
    p.spec.description.input.append(p.spec.description.functions[0].input[0].copy())


# --- Names and uses. ---


@refused("no identifier")
def value_of_an_empty_name(p):
    p.op("y").outputs[0].name = ""


@refused("no identifier")
def value_of_a_bad_name(p):
    p.op("y").outputs[0].name = "y.1"


@refused("no identifier")
def value_of_a_long_bad_name(p):
    p.op("y").outputs[0].name = "-" * 1000000


@refused("'y' is defined twice")
def value_defined_twice(p):
    p.op("z").outputs[0].name = "y"


@refused("'x' is defined twice")
def value_hides_an_input(p):
    p.op("y").outputs[0].name = "x"


@refused("'x' is defined twice")
def input_defined_twice(p):
    p.function().inputs.append(p.function().inputs[0].copy())


@refused("uses 'nobody', which nothing defines")
def value_undefined(p):
    p.op("z").entry("inputs", "x").arguments[0].name = "nobody"


@refused("uses 'z' before it is defined")
def value_used_before_it_is_defined(p):
    p.op("y").entry("inputs", "x").arguments[0].name = "z"


@refused("uses 'y' before it is defined")
def value_uses_itself(p):
    p.op("y").entry("inputs", "x").arguments[0].name = "y"


@refused("before it is defined")
def values_in_a_cycle(p):
    p.op("y").entry("inputs", "x").arguments[0].name = "z"
    p.op("z").entry("inputs", "x").arguments[0].name = "y"


@refused("uses 'more' before it is defined or outside of its block", base="blocks_ios17")
def value_of_an_inner_block(p):
    p.op("out").entry("inputs", "x").arguments[0].name = "more"


@refused("an output of a block: uses 'nobody'")
def block_output_undefined(p):
    p.block().outputs[0] = "nobody"


@runs()
def block_output_twice(p):
    """One output, as coremltools writes a graph that gives a value twice."""
    p.block().outputs.append(p.block().outputs[0])


@refused("has the attribute")
def block_with_attributes(p):
    entry = p.block().add("attributes")
    entry.key = "x"
    string_value(entry.value, "x")


@refused("outputs?|is no output of the program's function")
def block_without_outputs(p):
    p.block().outputs = []


# --- Ops. ---


@refused("no op of that type is known")
def op_unknown(p):
    p.op("y").type = "matmul2"


@refused("no op of that type is known")
def op_of_an_empty_type(p):
    p.op("y").type = ""


@refused("no op of that type is known")
def op_of_a_long_type(p):
    p.op("y").type = "\x1b[2J" * 200000


@refused("custom_layer|no op of that type")
def op_custom_layer(p):
    p.op("y").type = "custom_layer"


@refused("(?i)ios18|coreml8", base="functions_ios18")
def op_of_a_later_opset(p):
    for function in p.program.functions:
        function.value.opset = function.value.block_specializations[0].key = "CoreML5"


@refused("attribute 'axis': is unknown")
def op_with_an_unknown_attribute(p):
    set_attribute(p.op("y"), "axis", string_value(p.op("y").new("attributes").value, "x"))


@refused("'nonsense'")
def op_with_an_unknown_parameter(p):
    entry = p.op("y").add("inputs")
    entry.key = "nonsense"
    entry.value = p.op("y").entry("inputs", "x")


@refused("'y'")
def op_without_a_parameter(p):
    op = p.op("y")
    op.inputs = [e for e in op.inputs if e.key != "y"]


@refused("")
def op_parameter_without_a_value(p):
    p.op("y").entry("inputs", "x").arguments = []


@refused("")
def op_parameter_of_two_values(p):
    arguments = p.op("y").entry("inputs", "x").arguments
    arguments.append(arguments[0].copy())


@refused("")
def op_parameter_of_many_values(p):
    arguments = p.op("y").entry("inputs", "x").arguments
    arguments.extend(arguments * 100000)


@refused("which nothing defines|no name")
def op_binding_of_nothing(p):
    p.op("y").entry("inputs", "x").arguments[0].clear("name")


@refused("output")
def op_without_outputs(p):
    p.op("t").outputs = []
    p.block().outputs = [o for o in p.block().outputs if o != "t"]
    p.spec.description.output = [o for o in p.spec.description.output if o.name != "t"]


@refused("output")
def op_with_an_output_too_many(p):
    value = p.op("y").outputs[0].copy()
    value.name = "y2"
    p.op("y").outputs.append(value)


@refused("fp16")
def op_declares_another_dtype(p):
    p.op("y").outputs[0].type.tensor_type.data_type = MIL["fp16"]


@refused(r"\[2, 5\]")
def op_declares_another_shape(p):
    set_shape(p.op("y").outputs[0].type, [2, 5])


@refused("has 2 blocks; it needs 0")
def op_with_blocks_it_does_not_take(p):
    for _ in range(2):
        p.op("y").add("blocks")


@refused("has 1 blocks; it needs 2", base="blocks_ios17")
def cond_with_one_block(p):
    del p.op("y").blocks[1]


@refused("", base="blocks_ios17")
def cond_blocks_of_different_types(p):
    set_shape(p.op("sq", p.block()).outputs[0].type, [4])


@refused("", base="blocks_ios17")
def cond_block_without_outputs(p):
    p.op("y").blocks[1].outputs = []


@refused("", base="blocks_ios17")
def loop_block_without_inputs(p):
    p.op("loop_0").blocks[0].inputs = []


@refused("", base="blocks_ios17")
def loop_condition_of_no_bool(p):
    block = p.op("loop_0").blocks[0]
    block.outputs = [block.inputs[1].name]


@refused("deep|nested", base="blocks_ios17")
def blocks_nested_deep(p):
    """As deep as protobuf lets them be and deeper."""
    data = p.op("y").encode()
    for _ in range(200):
        block = put_field(3, data)
        data = put_field(1, b"cond") + put_field(4, block) + put_field(4, b"")
    p.block().extra = put_field(3, data)


@refused("", base="blocks_ios17")
def blocks_nested_within_bounds(p):
    """Twenty deep: the type of each is wrong somewhere, and the reader must get that far."""
    data = put_field(1, b"identity") + put_field(3, put_field(1, b"i"))
    for _ in range(20):
        data = put_field(1, b"cond") + put_field(4, put_field(3, data)) * 2
        if len(data) > 1 << 20:
            break
    p.block().extra = put_field(3, data)


# --- The description. ---


@refused("input 'n' of the program's function has no feature")
def feature_missing(p):
    p.spec.description.input = [i for i in p.spec.description.input if i.name != "n"]


@refused("input feature 'm': is no input")
def feature_of_nothing(p):
    p.spec.description.input[1].name = "m"


@refused("stands twice")
def feature_twice(p):
    p.spec.description.input.append(p.spec.description.input[0].copy())


@refused("output feature 'q': is no output")
def output_feature_of_nothing(p):
    p.spec.description.output[0].name = "q"


@refused("unknown data type 7")
def feature_of_no_dtype(p):
    p.spec.description.input[0].type.multi_array_type.data_type = 7


@refused("no type that Core ML's features have")
def feature_of_no_type(p):
    p.spec.description.input[0].type.clear("multi_array_type")


@refused(r"has the shape \[3, 3\]")
def feature_of_another_shape(p):
    p.spec.description.input[0].type.multi_array_type.shape = [3, 3]


@refused("an extent is -1")
def feature_of_a_negative_extent(p):
    p.spec.description.input[0].type.multi_array_type.shape = [2, -1]


@refused("an extent is 9223372036854775807")
def feature_of_a_huge_extent(p):
    p.spec.description.input[0].type.multi_array_type.shape = [2, (1 << 63) - 1]


@refused("ranges from 5 to 3")
def feature_range_upside_down(p):
    array = p.spec.description.input[0].type.multi_array_type
    for low, high in ((2, 2), (5, 3)):
        one = array.shape_range.add("size_ranges")
        one.lower_bound, one.upper_bound = low, high


@refused("shapes of rank 1")
def feature_range_of_another_rank(p):
    array = p.spec.description.input[0].type.multi_array_type
    array.shape_range.add("size_ranges").upper_bound = -1


@refused("is an image in color")
def feature_image_of_a_matrix(p):
    kind = p.spec.description.input[0].type
    kind.clear("multi_array_type")
    kind.image_type.width, kind.image_type.height, kind.image_type.color_space = 2, 3, 20


@refused("unknown color space 99")
def feature_image_of_no_color(p):
    kind = p.spec.description.input[0].type
    kind.clear("multi_array_type")
    kind.image_type.color_space = 99


@refused("is described as a state|state")
def feature_state_of_an_input(p):
    kind = p.spec.description.input[0].type
    kind.state_type.array_type = kind.multi_array_type
    kind.clear("multi_array_type")


@refused("'classLabel'.*predicted|as predicted")
def feature_predicted_but_missing(p):
    p.spec.description.predicted_feature_name = "classLabel"


@refused("states?", base="functions_ios18")
def state_not_described(p):
    p.spec.description.functions[0].state = []


@refused("", base="functions_ios18")
def state_of_another_shape(p):
    p.spec.description.functions[0].state[0].type.state_type.array_type.shape = [1, 7, 4]


@refused("", base="functions_ios18")
def state_described_as_an_input(p):
    for function in p.spec.description.functions:
        function.input.append(function.state[0])
        function.state = []


@refused("", base="functions_ios18")
def state_of_two_types(p):
    """The functions of a package share their states."""
    function = p.function("prefill")
    for value in function.inputs:
        if value.name == "kv":
            set_shape(value.type.state_type.wrapped_type, [1, 9, 4])
    for described in p.spec.description.functions:
        if described.name == "prefill":
            described.state[0].type.state_type.array_type.shape = [1, 9, 4]


@refused("", base="functions_ios18")
def state_read_that_does_not_exist(p):
    p.op("old").entry("inputs", "input").arguments[0].name = "nobody"


@refused("", base="functions_ios18")
def state_read_of_an_array(p):
    p.op("old").entry("inputs", "input").arguments[0].name = "x"


@refused("", base="functions_ios18")
def state_used_as_an_array(p):
    p.op("rows").entry("inputs", "x").arguments[0].name = "kv"


@refused("", base="functions_ios18")
def state_as_an_output(p):
    p.block("decode").outputs = ["kv"]
