"""The structure of a model as coremltools' MLModelStructure shows it: what its specification says.

Source of the classes: coremltools 9.0, models/compute_plan.py.
"""

import json
import os

from coremltools import proto
from coremltools.models import compute_plan as ct


def load_structure(path):
    """Of a package, of what is "compiled" here (a package under another name), or of a .mlmodel."""
    file = path
    if os.path.isdir(path):
        with open(os.path.join(path, "Manifest.json"), encoding="utf-8") as manifest:
            said = json.load(manifest)
        file = os.path.join(path, "Data", said["itemInfoEntries"][said["rootModelIdentifier"]]["path"])
    specification = proto.Model_pb2.Model()
    with open(file, "rb") as source:
        specification.ParseFromString(source.read())
    return _of(specification)


def _of(specification):
    kind = specification.WhichOneof("Type")
    if kind == "mlProgram":
        functions = {name: _function(one) for name, one in specification.mlProgram.functions.items()}
        return ct.MLModelStructure(
            neuralnetwork=None, program=ct.MLModelStructureProgram(functions=functions), pipeline=None
        )
    members = _members(specification, kind)
    names = list(members.names) or [str(i) for i in range(len(members.models))]
    models = [(name, _of(model)) for name, model in zip(names, members.models)]
    return ct.MLModelStructure(
        neuralnetwork=None, program=None, pipeline=ct.MLModelStructurePipeline(sub_models=models)
    )


def _members(specification, kind):
    """The pipeline in a specification that anemone has loaded, so that it is one."""
    one = getattr(specification, kind)
    return one if kind == "pipeline" else one.pipeline


def _function(function):
    return ct.MLModelStructureProgramFunction(
        inputs=_named_types(function.inputs), block=_block(function.block_specializations[function.opset])
    )


def _block(block):
    return ct.MLModelStructureProgramBlock(
        inputs=_named_types(block.inputs),
        operations=[_operation(one) for one in block.operations],
        output_names=list(block.outputs),
    )


def _operation(operation):
    return ct.MLModelStructureProgramOperation(
        inputs={name: _argument(one) for name, one in operation.inputs.items()},
        operator_name=operation.type,
        outputs=_named_types(operation.outputs),
        blocks=[_block(one) for one in operation.blocks],
        __proxy__=None,
    )


def _argument(argument):
    bindings = []
    for one in argument.arguments:
        is_name = one.WhichOneof("binding") == "name"
        bindings.append(
            ct.MLModelStructureProgramBinding(
                name=one.name if is_name else None,
                value=None if is_name else ct.MLModelStructureProgramValue(),
            )
        )
    return ct.MLModelStructureProgramArgument(bindings=bindings)


def _named_types(values):
    return [
        ct.MLModelStructureProgramNamedValueType(name=one.name, type=ct.MLModelStructureProgramValueType())
        for one in values
    ]
