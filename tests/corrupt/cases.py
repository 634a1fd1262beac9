"""All cases, by what they damage."""

import cases_files  # noqa: F401
import cases_legal  # noqa: F401
import cases_ops  # noqa: F401
import cases_pipelines  # noqa: F401
import cases_program  # noqa: F401
import cases_values  # noqa: F401
from package import ALL, Package, inputs_of  # noqa: F401

assert len({case.name for case in ALL}) == len(ALL), "two cases have one name"
