#!/usr/bin/env python3
"""Looks at the report's page in a headless Chromium, by its debugging pipe.

usage: browser_test.py MAKE_PAGES [--keep FOLDER]

Exits with 77, which CTest takes for "skipped", where no browser is installed. --keep leaves pages and
pictures of them, light and dark, wide and narrow, in FOLDER.
"""

import base64
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BROWSERS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
# Sanitized builds and busy machines included; one of them at rest takes a tenth.
LIMIT_S = 60


class Browser:
    """One page of one browser. Messages are JSON that ends with a zero byte.

    Source: Chromium's --remote-debugging-pipe: it reads from descriptor 3 and writes to 4.
    """

    def __init__(self, program, profile):
        to_read, self.to = os.pipe()
        self.answers, from_write = os.pipe()

        def connect():
            # Through high numbers, so that neither end is overwritten before it is moved.
            high_read, high_write = os.dup2(to_read, 103), os.dup2(from_write, 104)
            os.dup2(high_read, 3)
            os.dup2(high_write, 4)
            os.setsid()

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=connect)
        os.close(to_read)
        os.close(from_write)
        self.rest = b""
        self.number = 0
        self.events = []
        self.session = None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget",
                                 {"targetId": target["targetId"], "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def message(self, deadline):
        while b"\0" not in self.rest:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            block = os.read(self.answers, 1 << 20)
            if not block:
                raise EOFError("the browser ended")
            self.rest += block
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, parameters=None):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters or {}}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        deadline = time.monotonic() + LIMIT_S
        while True:
            message = self.message(deadline)
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def open(self, path):
        """Seconds until the page has loaded, its script included."""
        self.events.clear()
        started = time.monotonic()
        # Another fragment alone would load nothing.
        self.call("Page.navigate", {"url": "about:blank"})
        self.call("Page.navigate", {"url": pathlib.Path(path).as_uri()})
        deadline = time.monotonic() + LIMIT_S
        while self("document.readyState") != "complete" or self("location.href") == "about:blank":
            if time.monotonic() > deadline:
                raise TimeoutError(f"{path} does not load")
            time.sleep(0.02)
        return time.monotonic() - started

    def __call__(self, script):
        result = self.call("Runtime.evaluate", {
            "expression": script, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            event = {"type": kind, "key": key}
            if len(key) == 1 and kind == "keyDown":
                event["text"] = key
            self.call("Input.dispatchKeyEvent", event)

    def click(self, script):
        box = self(f"(() => {{ const e = {script}; e.scrollIntoView({{block: 'center'}});"
                   " const b = e.getBoundingClientRect();"
                   " return [b.x + b.width / 2, b.y + b.height / 2]; })()")
        self.click_at(*box)

    def click_at(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", {
                "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1})

    def filter(self, text):
        """Types into the filter as a person does; seconds until the rows stand there."""
        return self("""(async () => {
          const box = document.getElementById('filter');
          const started = performance.now();
          box.value = %s;
          box.dispatchEvent(new Event('input'));
          await new Promise(requestAnimationFrame);
          return (performance.now() - started) / 1000;
        })()""" % json.dumps(text))

    def look(self, width, height, dark):
        self.call("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.call("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def picture(self, path):
        data = self.call("Page.captureScreenshot", {"format": "png"})["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def complaints(self):
        """Exceptions, errors on the console, and every request but the page's own."""
        found = []
        for event in self.events:
            method, what = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(json.dumps(what["exceptionDetails"])[:600])
            if method == "Log.entryAdded" and what["entry"]["level"] == "error":
                found.append(what["entry"]["text"])
            if method == "Network.requestWillBeSent":
                url = what["request"]["url"]
                if not url.startswith("file:") or what.get("type") != "Document":
                    found.append("asked for " + url)
        return found

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


failures = 0


def expect(is_so, what):
    global failures
    print(("ok      " if is_so else "FAILED  ") + what, flush=True)
    failures += not is_so


def expect_equal(found, wanted, what):
    expect(found == wanted, what if found == wanted else f"{what}: {found!r}, not {wanted!r}")


TEXT = "document.getElementById('%s').textContent"
SELECTED = "state.selected < 0 ? null : state.model.label(state.selected)"
ROWS = "document.querySelectorAll('#list .row').length"


def looks_at_layers(browser, folder, keep):
    browser.open(folder / "layers.html")
    expect("1 of 1,009 ops leaves the Neural Engine" in browser(TEXT % "verdict"),
           "the verdict counts the op that leaves")
    expect("layer 17: gather layer_17_lookup" in browser(TEXT % "verdict"), "and names it")
    expect("not measured" in browser(TEXT % "verdict"), "without evidence nothing is measured")
    expect_equal(browser("state.model.f.layers.length"), 28, "28 layers")
    expect(browser(ROWS) < 120, "only the rows in sight exist")

    browser.key("Escape")
    browser.key("n")
    expect_equal(browser(SELECTED), "layer_17_lookup", "the next problem is the op")
    details = browser(TEXT % "details")
    expect("gather" in details and "Instead:" in details and "sources" in details,
           "its details tell rule, rewrite and sources")
    expect("not measured" in details and "layer_17_proj" in details, "and where its input comes from")
    # The pixel in the middle of the strip above the op is the colour of a problem.
    problem = browser("""(() => {
      const c = document.getElementById('strip'), d = c.getContext('2d');
      const x = Math.round((state.selected + 0.5) / state.model.count * c.width);
      const wanted = getComputedStyle(document.documentElement).getPropertyValue('--problem').trim();
      const p = d.getImageData(x, Math.round(6 * c.height / 58), 1, 1).data;
      return [...p.slice(0, 3)].map((v) => v.toString(16).padStart(2, '0')).join('') === wanted.slice(1);
    })()""")
    expect(problem, "a pin stands above it on the strip")
    browser.click("[...document.querySelectorAll('#details .link')].find((e) => e.textContent === 'layer_17_proj')")
    expect_equal(browser(SELECTED), "layer_17_proj", "a click on the producer goes there")
    browser.key("j")
    expect_equal(browser(SELECTED), "layer_17_lookup", "j goes down to the consumer")
    browser.key("Escape")
    box = browser("(() => { const b = document.getElementById('strip').getBoundingClientRect();"
                  " return [b.x, b.y, b.width, b.height]; })()")
    at = browser("state.model.problems[0] / state.model.count")
    browser.click_at(box[0] + box[2] * at + 3, box[1] + box[3] / 2)
    expect_equal(browser(SELECTED), "layer_17_lookup", "a click near it on the strip finds it")

    for text, wanted in [("layer:12", 36), ("type:linear", 28), ("unit:cpu", 1), ("severity:leaves", 1),
                         ("layer:17 -type:sigmoid -type:relu", 2), ("name:op_35", 28),
                         ("measured:none", 1009), ("dtype:fp32", 0), ("lookup", 1), ("problem:yes", 1)]:
        browser.filter(text)
        expect_equal(browser("state.items.length"), wanted, f"the filter '{text}'")
    browser.filter("")
    for view, rows in [("findings", 1), ("islands", 3), ("weights", 1), ("states", 2), ("totals", 1)]:
        browser.click(f"document.querySelector('[data-view={view}]')")
        expect(browser("state.rows.length") >= rows and browser(ROWS) >= rows, f"the view {view} has rows")
    expect("8.19 kB" in browser("showView('weights', '') || document.getElementById('list').textContent"),
           "the weight's bytes are told")
    browser("showView('ops', '')")
    if keep:
        browser("select(state.model.problems[0])")
        for name, width, height, dark in [("light", 1440, 900, False), ("dark", 1440, 900, True),
                                          ("phone", 400, 800, False)]:
            browser.look(width, height, dark)
            browser.picture(folder / f"layers_{name}.png")
    browser.look(400, 800, False)
    expect(browser("document.documentElement.scrollWidth <= 400"), "a phone's width is enough")
    light = browser("getComputedStyle(document.body).backgroundColor")
    browser.look(1440, 900, True)
    expect(light != browser("getComputedStyle(document.body).backgroundColor"), "dark is dark")
    browser.look(1440, 900, False)
    expect_equal(browser.complaints(), [], "no error and no request")


def looks_at_measured(browser, folder, keep):
    browser.open(folder / "measured.html")
    verdict = browser(TEXT % "verdict")
    expect("agrees with the prediction for 1,007 ops, contradicts it for 1" in verdict,
           "agreements and contradictions are counted")
    browser.filter("measured:contradiction")
    expect_equal(browser("state.items.map((i) => state.model.label(i))"), ["layer_20_op_7"],
                 "the contradiction is found")
    browser("(() => { const box = document.getElementById('machine'); box.value = '1';"
            " box.dispatchEvent(new Event('change')); })()")
    expect_equal(browser("state.items.length"), 0, "where the engine was not allowed nothing contradicts")
    expect_equal(browser("state.model.problems.length"), 1, "or is a problem for that")
    browser("(() => { const box = document.getElementById('machine'); box.value = '0';"
            " box.dispatchEvent(new Event('change')); })()")
    browser.filter("measured:none")
    expect_equal(browser("state.items.map((i) => state.model.label(i))"), ["layer_3_op_5"],
                 "an op that the machine did not mention is not measured")
    browser("select(state.items[0])")
    expect("not measured" in browser(TEXT % "details"), "and is called so")
    solid = browser("getComputedStyle(document.querySelector('.swatch.measured.ane')).backgroundImage")
    lines = browser("getComputedStyle(document.querySelector('.swatch.predicted.ane')).backgroundImage")
    expect(solid == "none" and "gradient" in lines, "predicted is hatched, measured solid")
    if keep:
        browser.filter("")
        browser("select(state.model.problems[0])")
        browser.look(1440, 900, False)
        browser.picture(folder / "measured_light.png")
    expect_equal(browser.complaints(), [], "no error and no request")


def looks_at_ranges(browser, folder, keep):
    browser.open(folder / "layers.html")
    before = browser("document.getElementById('strip').clientHeight")
    expect(browser("document.getElementById('ranges-label').hidden"), "without ranges nothing is said of them")
    browser.filter("range:none")
    expect_equal(browser("state.items.length"), 1009, "and no op has one")
    browser.open(folder / "ranges.html")
    expect(browser("document.getElementById('strip').clientHeight") > before + 50, "ranges are drawn below the strip")
    expect(not browser("document.getElementById('ranges-label').hidden"), "and named")
    browser.filter("range:overflow")
    expect_equal(browser("state.items.map((i) => state.model.label(i))"), ["layer_25_op_3", "layer_26_op_4"],
                 "what passes fp16 is found")
    browser("select(state.items[0])")
    expect("at most 70000, half below 13, 99.9 % below 104 \u00b7 too large for fp16" in browser(TEXT % "details"),
           "and told in its details")
    browser.filter("")
    # In the plot's topmost lines only what is too large is drawn, in the colour of problems.
    columns = browser("""(() => {
      const c = document.getElementById('strip'), d = c.getContext('2d');
      const wanted = getComputedStyle(document.documentElement).getPropertyValue('--problem').trim();
      const found = new Set();
      const all = d.getImageData(0, c.height - 70, c.width, 1).data;
      for (let x = Math.round(c.width / 4); x < c.width; x++) {
        const hex = '#' + [...all.slice(4 * x, 4 * x + 3)].map((v) => v.toString(16).padStart(2, '0')).join('');
        if (hex === wanted) found.add(Math.floor(x / c.width * state.model.count));
      }
      return [Math.min(...found), Math.max(...found)];
    })()""")
    infinite = browser("[...Array(state.model.count).keys()].find((i) => state.model.label(i) === 'layer_26_op_4')")
    expect(abs(columns[0] - infinite) <= 3 and abs(columns[1] - infinite) <= 3,
           f"the infinite one reaches the top: {columns} for {infinite}")
    if keep:
        browser.picture(folder / "ranges_light.png")
        browser.look(1440, 900, True)
        browser.picture(folder / "ranges_dark.png")
        browser.look(1440, 900, False)
    expect_equal(browser.complaints(), [], "no error and no request")


def looks_at_many(browser, folder):
    seconds = browser.open(folder / "many.html")
    count = browser("state.model.count")
    expect(count > 20000, f"{count} ops")
    expect(seconds < 10, f"they stand there after {seconds:.2f} s")
    expect(browser(ROWS) < 120, "only the rows in sight exist")
    slowest = max(browser.filter(text) for text in ["s", "si", "sig", "layer:27", "unit:cpu", ""])
    expect(slowest < 2, f"the filter takes at most {1000 * slowest:.0f} ms")
    scroll = browser("""(async () => {
      const list = document.getElementById('list');
      const started = performance.now();
      for (let i = 1; i <= 20; i++) {
        list.scrollTop = list.scrollHeight * i / 20;
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
      }
      return (performance.now() - started) / 20;
    })()""")
    expect(scroll < 500, f"a jump down the list takes {scroll:.0f} ms")
    expect("layer_27_op_714" in browser("document.getElementById('list').textContent"), "to its end")
    browser.key("n")
    expect_equal(browser(SELECTED), "layer_17_lookup", "the one bad op among them is one key away")
    expect_equal(browser.complaints(), [], "no error and no request")


def looks_at_barred_and_empty(browser, folder):
    browser.open(folder / "barred.html")
    expect("1 function is barred from the Neural Engine" in browser(TEXT % "verdict"),
           "a barred function is called so")
    link = "document.querySelector('#verdict .link')"
    expect("fp32" in browser(link + ".textContent"), "by the rule that bars it")
    browser.click(link)
    expect("Instead:" in browser(TEXT % "details"), "whose rewrite is a click away")
    expect_equal(browser.complaints(), [], "no error and no request")
    browser.open(folder / "empty.html")
    expect("no function" in browser(TEXT % "details"), "a package without functions is called so")
    browser.key("n")
    expect_equal(browser.complaints(), [], "no error and no request")


def looks_at_hostile(browser, folder):
    browser.open(folder / "hostile.html")
    expect_equal(browser("typeof window.broken"), "undefined", "no name runs as a script")
    expect_equal(browser("document.images.length"), 0, "or becomes an element")
    expect_equal(browser("document.scripts.length"), 2, "or ends the data")
    expect_equal(browser("state.model.count"), 2, "the ops are there")
    browser("select(1)")
    for view in ["ops", "findings", "islands", "weights", "states", "totals"]:
        browser(f"showView('{view}', '')")
    browser("document.getElementById('strip').dispatchEvent(new MouseEvent('mousemove', {clientX: 400}))")
    whole = browser("document.body.innerText")
    expect("</script><img src=x onerror=" in whole, "names are shown as they are")
    expect("\\u{0a}\\u{01}\\u{202e}\ufffd" in whole, "letters that cannot be seen are spelled out")
    expect("\u202e" not in whole and "\x01" not in whole, "and turn no text around")
    expect("</script><img" in browser("document.title"), "so in the title")
    expect_equal(browser("document.images.length"), 0, "after every view")
    expect_equal(browser("typeof window.broken"), "undefined", "nothing ran")
    expect_equal(browser.complaints(), [], "no error and no request")


def main(arguments):
    program = os.environ.get("ANEMONE_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if not program:
        print("SKIPPED: no browser (chromium-headless-shell); the report's page was not looked at")
        return 77
    keep = len(arguments) > 2
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(arguments[2] if keep else scratch)
        subprocess.run([arguments[1], folder], check=True)
        browser = Browser(program, pathlib.Path(scratch) / "profile")
        try:
            browser.look(1440, 900, False)
            looks_at_layers(browser, folder, keep)
            looks_at_measured(browser, folder, keep)
            looks_at_ranges(browser, folder, keep)
            looks_at_many(browser, folder)
            looks_at_barred_and_empty(browser, folder)
            looks_at_hostile(browser, folder)
        finally:
            browser.close()
    print(f"{failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    # The folder to keep things in follows --keep.
    sys.exit(main([a for a in sys.argv if a != "--keep"]))
