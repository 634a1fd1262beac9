"""Pipelines: their order, their sources, their depth."""

from package import refused, runs
from protobuf import put_field


@refused("the pipeline has no models", base="two")
def pipeline_empty(p):
    p.spec.pipeline.models = []
    p.spec.extra = put_field(202, b"")


@refused("model '0': input 'y': has no source", base="two")
def pipeline_in_the_wrong_order(p):
    p.spec.pipeline.models.reverse()


@refused("input 'y': has no source; the caller and the models before it give 'scale', 'x'", base="two")
def pipeline_without_its_first(p):
    del p.spec.pipeline.models[0]


@refused("output 'sum': is given by no model", base="two")
def pipeline_promises_what_nobody_gives(p):
    p.spec.pipeline.models[0].description.output = [
        o for o in p.spec.pipeline.models[0].description.output if o.name != "sum"]


@refused("input 'scale': has no source", base="two")
def pipeline_input_not_described(p):
    p.spec.description.input = [i for i in p.spec.description.input if i.name != "scale"]


@refused("input feature 'x' stands twice", base="two")
def pipeline_input_twice(p):
    p.spec.description.input.append(p.spec.description.input[0].copy())


@refused(r"model '0': input 'x': has the shape \[1, 4\], but the caller gives \[1, 9\]", base="two")
def pipeline_shapes_differ(p):
    p.spec.description.input[0].type.multi_array_type.shape = [1, 9]


@refused(r"output 'out': has the shape \[1, 9\], but model '1' gives \[1, 3\]", base="two")
def pipeline_output_shape_differs(p):
    for output in p.spec.description.output:
        if output.name == "out":
            output.type.multi_array_type.shape = [1, 9]


@refused("is a multi-array, but the caller gives a string", base="two")
def pipeline_kinds_differ(p):
    kind = p.spec.description.input[0].type
    kind.clear("multi_array_type")
    kind.string_type.extra = b""


@refused("model 1: is empty", base="two")
def pipeline_model_empty(p):
    p.spec.pipeline.models[1] = p.spec.new("pipeline").new("models")


@refused("model 1: the model is a neuralNetwork", base="two")
def pipeline_model_of_another_type(p):
    model = p.spec.pipeline.models[1]
    model.clear("ml_program")
    model.extra = put_field(500, b"")


@refused("the model is both mlProgram and pipeline|both pipeline and mlProgram", base="two")
def pipeline_and_program(p):
    p.spec.ml_program = p.spec.pipeline.models[0].ml_program


@refused("model '0': .*function 'main'", base="two")
def pipeline_model_damaged(p):
    p.spec.pipeline.models[0].ml_program.functions[0].value.opset = "CoreML99"


@refused("weights/1-weight.bin: cannot be opened", base="two")
def pipeline_weights_missing(p):
    del p.weights["1-weight.bin"]


@refused("pipelines are nested more than 8 deep", base="two")
def pipeline_nested_deep(p):
    data = p.spec.pipeline.models[0].encode()
    for _ in range(300):
        data = put_field(202, put_field(1, data))
    p.spec.clear("pipeline")
    p.spec.extra = data


@refused("more than 1024 models", base="two")
def pipeline_of_many_models(p):
    p.spec.pipeline.models = [p.spec.pipeline.models[0]] + [
        p.spec.pipeline.models[0].copy() for _ in range(1024)]


@refused("list of functions", base="two")
def pipeline_with_functions(p):
    p.spec.description.add("functions").name = "main"


@refused("updatable", base="two")
def pipeline_updatable(p):
    p.spec.is_updatable = True


@refused("specification version is 0", base="two")
def pipeline_model_without_a_version(p):
    p.spec.pipeline.models[0].clear("specification_version")


@refused("both have a state 'total'", base="remembering")
def pipeline_states_of_one_name(p):
    model = p.spec.pipeline.models[1]
    model.description.state[0].name = "total"
    function = model.ml_program.functions[0].value
    for value in function.inputs:
        if value.name == "most":
            value.name = "total"
    for op in function.block_specializations[0].value.operations:
        for entry in op.inputs:
            for argument in entry.value.arguments:
                if argument.name == "most":
                    argument.name = "total"


@refused("state 'nobody' is of no model", base="remembering")
def pipeline_state_of_nobody(p):
    state = p.spec.pipeline.models[0].description.state[0].copy()
    state.name = "nobody"
    p.spec.description.state.append(state)


@runs(base="remembering")
def pipeline_that_describes_its_states(p):
    for model in p.spec.pipeline.models:
        p.spec.description.state.append(model.description.state[0].copy())


@runs(base="two")
def pipeline_with_names(p):
    p.spec.pipeline.names = ["first", "first", "too many"]


@runs(base="two")
def pipeline_as_a_regressor(p):
    p.spec.pipeline_regressor.pipeline = p.spec.pipeline
    p.spec.clear("pipeline")


@runs(base="two")
def pipeline_of_one(p):
    """Nesting changes nothing."""
    inner = p.spec.copy()
    p.spec.pipeline.models = [p.spec.new("pipeline").new("models")]
    p.spec.pipeline.models[0] = inner


@runs(base="nested")
def pipeline_with_flexible_outputs_inside(p):
    for output in p.spec.pipeline.models[0].description.output:
        output.type.multi_array_type.shape = []
