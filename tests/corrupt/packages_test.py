#!/usr/bin/env python3
"""Damaged, hostile and merely unusual packages, made from sound ones, and what the tool says of each.

usage: packages_test.py ANEMONE SCHEMA FOLDER [--keep DIR] [--only WORD] [--thorough]

ANEMONE is the tool, SCHEMA anemone_spec.proto, FOLDER tests/oracle/package. A case is a function that
changes a package. What it must lead to stands in its decorator: words of the one line on stderr, or
None where the package is legal, however odd, and must compute what the sound one does. Whatever the
case: no signal, no more than MOST_SECONDS and MOST_MEGABYTES, no control characters, a bounded line that
names the package. --keep leaves the packages in DIR, for looking at them and for other tools;
--thorough asks lint and plain inspect as well.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cases  # noqa: E402
import protobuf  # noqa: E402

MOST_SECONDS = 20  # under sanitizers and beside other tests; alone it is 0.1
MOST_MEGABYTES = 1000  # a sanitizer's shadow included
MOST_CHARACTERS = 1500
ERRORS = {2: "usage", 3: "bad-input", 4: "not-found", 5: "unsupported", 6: "numeric", 7: "limit", 8: "io"}


def save_npz(path, arrays):
    """name -> (dtype such as "<f4", shape, bytes)."""
    with zipfile.ZipFile(path, "w") as file:
        for name, (dtype, shape, data) in arrays.items():
            dims = "(" + "".join(f"{n}, " for n in shape) + ")"
            header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {dims}, }}"
            header += " " * (-(len(header) + 11) % 64) + "\n"
            file.writestr(name + ".npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little")
                          + header.encode("latin-1") + data)


class Run:
    def __init__(self, tool, folder):
        self.tool = tool
        self.folder = folder

    def __call__(self, name, *arguments):
        start = time.monotonic()
        with open(self.folder / (name + ".out"), "w+b") as out, open(self.folder / (name + ".err"), "w+b") as err:
            process = subprocess.Popen([self.tool, *map(str, arguments)], stdout=out, stderr=err,
                                       stdin=subprocess.DEVNULL)
            while True:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    break
                if time.monotonic() - start > MOST_SECONDS:
                    process.kill()
                    os.wait4(process.pid, 0)
                    return None, f"takes more than {MOST_SECONDS} s", 0
                time.sleep(0.002)
            process.returncode = os.waitstatus_to_exitcode(status)
            err.seek(0)
            return process.returncode, err.read().decode("utf-8", "replace"), usage.ru_maxrss / 1024


def faults_of(status, text, megabytes, package):
    """What no command may do, whatever it is given."""
    faults = []
    if status is None:
        return [text]
    if megabytes > MOST_MEGABYTES:
        faults.append(f"takes {megabytes:.0f} MB")
    if status not in (0, 1) and status not in ERRORS:
        faults.append(f"ends with status {status}")
    if status in ERRORS:
        if text.count("\n") != 1 or not text.endswith("\n"):
            faults.append("does not say one line")
        if package not in text:
            faults.append("does not name the package")
        if len(text) > MOST_CHARACTERS:
            faults.append(f"says {len(text)} characters")
        if re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text):
            faults.append("prints control characters")
    elif text and "warning" not in text:
        faults.append("says something on stderr")
    return faults


def judged(case, *more):
    try:
        return judge(case, *more)
    except Exception as error:
        return [f"{case.name}: the case itself fails: {error!r}"]


def judge(case, run, sound, folder, thorough):
    path = folder / f"{case.name}.mlpackage"
    package = cases.Package(sound[case.base].source, sound["schema"])
    case.change(package)
    package.write(path)
    if case.after:
        case.after(path)
    out = folder / f"{case.name}.npz"
    status, text, megabytes = run(case.name, "predict", path, "-i", sound[case.base].inputs, "-o", out,
                                  "--threads", 1)
    faults = faults_of(status, text, megabytes, path.name)
    if case.says is None:
        if status != 0:
            faults.append("is refused")
        elif out.read_bytes() != sound[case.base].outputs.read_bytes():
            faults.append("computes something else")
    elif status == 0:
        faults.append("is taken")
    elif not re.search(case.says, text):
        faults.append(f"does not say /{case.says}/")
    told = text
    for command in (("inspect", path), ("inspect", path, "--mil"), ("lint", path)) if thorough else (
            ("inspect", path, "--mil"),):
        status, text, megabytes = run(case.name, *command)
        faults += [f"{command[0]}: {fault}: {text[:300]!r}" for fault in
                   faults_of(status, text, megabytes, path.name)]
        if case.says is None and status not in (0, 1):
            faults.append(f"{command[0]}: is refused: {text}")
    return [f"{case.name}: {fault}: {told[:600].strip()}" for fault in faults]


class Sound:
    def __init__(self, source, schema, run, folder):
        self.source = source
        self.inputs = folder / f"{source.stem}.in.npz"
        self.outputs = folder / f"{source.stem}.out.npz"
        save_npz(self.inputs, cases.inputs_of(source, schema))
        status, text, _ = run(source.stem, "predict", source, "-i", self.inputs, "-o", self.outputs,
                              "--threads", 1)
        if status != 0:
            sys.exit(f"{source}: the sound package itself fails: {text}")


def main():
    arguments = sys.argv[1:]
    options = {"--keep": None, "--only": ""}
    options["--thorough"] = "--thorough" in arguments
    arguments = [a for a in arguments if a != "--thorough"]
    while len(arguments) > 3:
        options[arguments[3]] = arguments[4]
        del arguments[3:5]
    tool, schema_file, packages = arguments
    schema = protobuf.Schema(pathlib.Path(schema_file).read_text())
    folder = pathlib.Path(options["--keep"] or tempfile.mkdtemp(prefix="anemone-corrupt-"))
    folder.mkdir(parents=True, exist_ok=True)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        run = Run(tool, folder)
        chosen = [case for case in cases.ALL if options["--only"] in case.name]
        sound = {"schema": schema}
        for base in sorted({case.base for case in chosen}):
            source = next(pathlib.Path(packages).glob(f"*/{base}.mlpackage"))
            sound[base] = Sound(source, schema, run, folder)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = sum(pool.map(lambda case: judged(case, run, sound, folder, options["--thorough"]), chosen), [])
    finally:
        if options["--keep"] is None:
            shutil.rmtree(folder, ignore_errors=True)
    for fault in faults:
        print(fault)
    refused = sum(case.says is not None for case in chosen)
    print(f"{len(chosen)} packages, {refused} to be refused, {len(chosen) - refused} to be run: "
          f"{len(faults)} faults")
    return 1 if faults or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
