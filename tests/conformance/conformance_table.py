"""What the records of a conformance run come to: verdicts, causes and tables in Markdown."""

import collections
import hashlib
import json
import re

ENDED = "the process ended in the middle"
VERDICTS = ("passed", "failed", "nothing to predict", "not applicable")

# Why a case cannot apply to an engine for ML Programs on this system: by the reason that a skipped case
# gave, and by how a failed one ended.
SKIPPED = [
    (r"MSG_TORCH|Missing torch|PyTorch not found|torch\w* (is )?not (found|installed)",
     "needs torch, which this environment lacks"),
    (r"[Ee]xecu[Tt]orch", "needs executorch"),
    (r"[Tt]ensor[Ff]low|tf2? not|TF\d? not|test_tf", "needs TensorFlow"),
    (r"rdar://", "switched off by its authors for an Apple bug"),
    (r"xfail: ", "expected to fail by its authors"),
]
FAILED = [
    (r"No module named 'torch|name '(torch|nn)' is not defined", "needs torch, which this environment lacks"),
    (r"No module named 'executorch", "needs executorch"),
    (r"is a bare specification \(\.mlmodel\)|the model is a neuralNetwork\w*;",
     "asks for the older neural-network format"),
    (r"the model is a \w+; only ML Programs", "asks for another kind of model (trees, regressors, ...)"),
    (r"needs Core ML on Apple hardware", "needs Apple hardware"),
    (r"No such file or directory: '\S*/model\.mil'|\bxcrun\b|coremlcompiler", "reads what Apple's compiler writes"),
    (r"^NotImplementedError: Unsupported fx node",
     "the converter does not take what this torch exports: there is no model to predict with"),
    (r"^UserError: Constraints violated",
     "this torch does not export what the test gives it: there is no model to predict with"),
    (r"^ValueError: running_mean and running_var must either both be None",
     "this torch does not take what the test gives it: there is no model to predict with"),
    (r"URLError|ConnectionError|HTTPError|getaddrinfo|Temporary failure in name resolution",
     "downloads something"),
]
FILL_CAUSE = ("torch makes 0 of 0.2 that it fills integers with; the converter writes 0.2 into the program. Their "
              "authors' tolerance for fp16 does not see it.")
# Causes of failures that were looked into: what the id and the end of the case must contain, and the cause.
CAUSES = [
    ("TestNormalizationBatchNorm::test_builder_to_backend_smoke", "is fp16, but another of its kind is fp32",
     "The program breaks coremltools' own definition of batch_norm (x in fp32, parameters in fp16): its converter "
     "warns that it failed to insert a cast, and its own loader refuses the package as anemone does."),
    ("test_image_resizing.py::TestResample::test_builder_to_backend_smoke", "assert 0 == 2",
     "The outputs agree; the test then counts the casts that the converter wrote, which is none in fp32."),
    ("test_image_resizing.py::TestCropResize", "0.00099993",
     "The test has 7.899 for a number that is 7.9, and asks for 1e-4."),
    ("iOS15/test_image_resizing.py::TestCropResize::test_builder_to_backend_smoke", "Not equal to tolerance",
     "Of a box that is outside of the image (normalised corners from 2 to 1) the test expects what the whole image "
     "would give, which no published definition says; anemone gives the value for outside."),
    ("test_fusion_with_pad_reflective_op_", "in mode reflect",
     "Mirrors an axis by as many elements as it has, or more, which are not there to be mirrored; written for the older "
     "neural-network format, and asks for the output's shape alone."),
    ("test_torch_ops.py::TestFill::test_fill_", "Max absolute difference among violations: 0.2", FILL_CAUSE),
    ("passes/tests/test_cleanup_passes.py", "parameter 'pred' has rank",
     "Its cond decides by an array, where MIL has a scalar; written for the older neural-network format, and asks for "
     "the output's shape alone."),
    ("test_torch_ops.py::TestStack::test_stack_dynamic_range_dim", "DID NOT RAISE <class 'RuntimeError'>",
     "Core ML refuses a stack whose operands would differ at the inputs' default shapes; anemone looks at the shapes of "
     "the call, which agree."),
]
# As CAUSES, of what float16 arithmetic missed.
TIGHT_CAUSES = [
    ("test_torch_ops.py::TestFill::test_fill_", "Max absolute difference among violations: 0.2", FILL_CAUSE),
]
HALF_CAUSE = ("The program holds fp16 (inputs, weights or constants that the test makes in fp16), and the test asks "
              "for fp32's exactness (atol 1e-4 as a rule) of what it computed without that rounding. "
              "Holds at atol 0.01, rtol 0.02. That the numbers it draws are ones that fp16 holds does not help: it "
              "writes some down, or computes others from them.")


def number_of(case):
    """The number by which a case is in a sample (every N-th) or not, and whose turn it is."""
    return int.from_bytes(hashlib.sha256(case.encode()).digest()[:8], "big")


def read_results(log):
    """The last record of every case, the modules that could not be collected, and what the runs were."""
    cases, uncollected, runs = {}, {}, []
    if not log.exists():
        return cases, uncollected, runs
    for line in log.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if "module" in record:
            uncollected[record["module"]] = record["uncollected"]
        elif "collected" in record:
            runs.append(record)
        elif "id" in record:
            cases[record["id"]] = record
    for case, record in cases.items():
        if record["result"] == "started":
            cases[case] = {"id": case, "result": "failed", "why": ENDED, "predictions": 0, "ops": []}
    return cases, uncollected, runs


def judged(record):
    """(verdict, reason) of a case."""
    why = record.get("why", "")
    if record["result"] == "passed":
        return ("passed", "") if record["predictions"] else ("nothing to predict", "")
    for pattern, reason in SKIPPED if record["result"] == "skipped" else FAILED:
        if re.search(pattern, why):
            return "not applicable", reason
    if record["result"] == "skipped":
        reason = plain(why.removeprefix("Skipped:"))
        return "not applicable", re.sub(r" at /\S+", "", reason)[:120] or "skipped by its authors without a reason"
    if record.get("kinds") and "mlProgram" not in record["kinds"]:
        return "not applicable", "asks for the older neural-network format"
    if record.get("is_led") and "is not in allowed range" in why:
        return "not applicable", ("written for the older neural-network format; as an ML Program the package itself "
                                  "refuses the test's input")
    if not record["predictions"] and re.match(r"AssertionError: assert \['", why):
        return "not applicable", ("asks the converter for the casts that it writes in fp16, in the fp32 half too, and "
                                  "fails before it predicts")
    return "failed", cause_of(record)


def cause_of(record):
    """The cause if it is known, else how the case ended."""
    why = record.get("why", "")
    for id_part, why_part, cause in CAUSES:
        if id_part in record["id"] and why_part in why:
            return cause
    miss = record.get("miss")
    if miss and miss["holds_as_half"] and (record.get("holds_half") or miss["of_half"]):
        return HALF_CAUSE
    differ = re.search(r"Not equal to tolerance (rtol=\S+), (atol=\S+)", why)
    if differ:
        return f"Not looked into: outputs differ by more than {differ[1]}, {differ[2]}"
    return "Not looked into: " + plain(why)[:200]


def plain(text):
    """On one line, without what differs from run to run."""
    text = re.sub(r"/\S*?/(tmp\w+\.mlpackage)", r"\1", text)
    return re.sub(r"\s+", " ", re.sub(r"tmp\w{8}\.mlpackage", "the package", text)).strip()


def tight(record):
    """"held", "missed", or None where nothing was judged at the tight tolerance."""
    if record.get("tight_missed"):
        return "missed"
    return "held" if record.get("tight_held") else None


def share(good, bad):
    return f"{100 * good / (good + bad):.2f} %" if good + bad else ""


def table(title, rows):
    lines = [f"| {title} | passed | failed | nothing to predict | not applicable | passed of predicted | fp16 held | "
             "fp16 missed |", "| --- | --: | --: | --: | --: | --: | --: | --: |"]
    for name, count in rows:
        lines.append(f"| {name} | " + " | ".join(str(count[verdict]) for verdict in VERDICTS) +
                     f" | {share(count['passed'], count['failed'])} | {count['held']} | {count['missed']} |")
    return "\n".join(lines)


def short(case):
    """A case's id without what all have in common."""
    case = case.split("tests/")[-1].split("test/")[-1]
    case = re.sub(r"compute_unit=ComputeUnit\.CPU_ONLY-", "", case)
    case = re.sub(r"backend=BackendConfig\(backend='mlprogram', precision='(\w+)', "
                  r"opset_version=<AvailableTarget\.(\w+): \d+>\)", r"\1 \2", case)
    return re.sub(r"<class 'numpy\.(\w+)'>", r"\1", case)


def listed(cases):
    """The cases by test: one line a test, with its parameters."""
    by_test = collections.defaultdict(list)
    for case in cases:
        test, _, parameters = short(case).partition("[")
        by_test[test].append(parameters.removesuffix("]"))
    lines = []
    for test, parameters in sorted(by_test.items()):
        lines.append(f"  - `{test}`" + (f" ({len(parameters)})" if len(parameters) > 1 else ""))
        lines += [f"    - `{one}`" for one in sorted(parameters) if one]
    return lines


def tally(cases):
    """(total, by module, by op): counters of verdicts, and of what held and missed at the tight tolerance."""
    by_module = collections.defaultdict(collections.Counter)
    by_op = collections.defaultdict(collections.Counter)
    total = collections.Counter()
    for case, record in sorted(cases.items()):
        counters = [total, by_module[short(case).split("::")[0]]]
        counters += [by_op[op] for op in record.get("ops", []) if op not in ("const", "cast")]
        for counter in counters:
            verdict, _ = judged(record)
            counter[verdict] += 1
            counter[tight(record)] += 1
    return total, by_module, by_op


def extent(cases, runs):
    """How much of the suite the records are, and what they were made with."""
    collected = max((run["collected"] for run in runs), default=0)
    text = f"{len(cases)} of {collected} cases"
    if len(cases) < collected:
        # The least sparse sample of which nothing is missing.
        whole = [run["sample"] for run in runs if run.get("sample") and
                 sum(number_of(case) % run["sample"] == 0 for case in cases) >= run["chosen"]]
        text += (f", with all of a sample of one in {min(whole)} by the hash of the id" if whole else
                 ", the run being unfinished")
    named = [run for run in runs if "date" in run]
    if named:
        last = named[-1]
        packages = ", ".join(f"{name} {last[name]}" for name in ("coremltools", "numpy", "torch") if last.get(name))
        text += f"; {packages}, Python {last['python']}; {last['arithmetic']} arithmetic"
        if last["tight"]:
            atol, rtol = last["tight"].split(",")
            text += f", float16 beside it at atol {atol}, rtol {rtol}"
        dates = sorted({run["date"] for run in named})
        text += f"; {dates[0]}" + (f" to {dates[-1]}" if len(dates) > 1 else "")
    return text + "."


def report(suite, cases, uncollected, runs):
    """(Markdown, total): by module, by op, causes."""
    total, by_module, by_op = tally(cases)
    failures, reasons = collections.defaultdict(list), collections.Counter()
    misses = collections.defaultdict(list)
    halves = redrawn = 0
    for case, record in sorted(cases.items()):
        verdict, reason = judged(record)
        halves += verdict == "passed" and bool(record.get("half_expectations"))
        redrawn += verdict == "passed" and record.get("draws") == "fp16"
        if verdict == "failed":
            failures[reason].append(case)
        elif verdict == "not applicable":
            reasons[reason] += 1
        if tight(record) == "missed":
            misses[tight_cause(record)].append(case)
    parts = [f"### {suite}\n", extent(cases, runs) + "\n", table("suite", [(suite, total)]), ""]
    if redrawn:
        parts.append(f"{redrawn} of those that passed failed with the first numbers that they drew, which they round to "
                     f"fp16 and ask fp32's exactness of, and passed with numbers that fp16 holds; with the first alone "
                     f"{share(total['passed'] - redrawn, total['failed'] + redrawn)} would have passed.\n")
    if halves:
        parts.append(f"{halves} of those that passed compare with what the test itself computed in fp16, and "
                     "hold to half a unit in its last place.\n")
    for title, causes in (("Failed", failures), ("Missed with float16 arithmetic at the tight tolerance", misses)):
        if causes:
            parts.append(f"#### {title}\n")
            for reason, list_ in sorted(causes.items(), key=lambda item: -len(item[1])):
                parts += [f"- {len(list_)}: {reason.replace('|', '/')}", *listed(list_)]
            parts.append("")
    if reasons:
        parts.append("#### Not applicable\n")
        parts += [f"- {count}: {reason.replace('|', '/')}" for reason, count in reasons.most_common()]
        parts.append("")
    if uncollected:
        parts.append("#### Modules that could not be read\n")
        parts += [f"- `{module}`: {re.sub(r'/[^ ]*/', '', plain(reason.strip().splitlines()[-1]))[:160]}"
                  for module, reason in sorted(uncollected.items())]
        parts.append("")
    parts += ["#### By module\n", table("module", sorted(by_module.items())), "",
              "#### By op\n\nA case counts for every op of its program.\n", table("op", sorted(by_op.items())), ""]
    return "\n".join(parts), total


def tight_cause(record):
    for id_part, why_part, cause in TIGHT_CAUSES:
        if id_part in record["id"] and why_part in record["tight_missed"][0]:
            return cause
    return "Not looked into: " + plain(record["tight_missed"][0])[:200]
