#!/usr/bin/python3
"""The live page of `labelpipe preview --serve` and the page of `run --gallery`, used in a real Chromium.

LABELPIPE names the program. SHOTS=FOLDER also keeps screenshots there.
"""

import base64
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

PROGRAM = os.environ["LABELPIPE"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATIENCE = 60
failures = []


def check(holds, what):
    print(("  ok    " if holds else "  WRONG ") + what, flush=True)
    if not holds:
        failures.append(what)


def labelpipe(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"labelpipe {' '.join(arguments)}: code {done.returncode}\n{done.stderr}")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def browser():
    options = webdriver.ChromeOptions()
    # Tests run as root in containers, where Chromium's own sandbox cannot be had.
    for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--window-size=1500,950"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


class Page:
    def __init__(self, driver):
        self.driver = driver

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def js(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def until(self, condition, what):
        try:
            # The page redraws its lines: an element that was found may be gone when it is asked.
            WebDriverWait(
                self.driver, PATIENCE, poll_frequency=0.05, ignored_exceptions=[StaleElementReferenceException]
            ).until(lambda _: condition())
            return True
        except TimeoutException:
            check(False, f"{what} (waited {PATIENCE} s; the page says: {self.one('body').text[:400]!r})")
            return False

    def shot(self, name):
        if "SHOTS" in os.environ:
            self.driver.save_screenshot(os.path.join(os.environ["SHOTS"], name + ".png"))

    # ---- the live page

    @property
    def document(self):
        return self.js("return document.getElementById('text').value")

    def is_settled(self):
        """What is shown is what the text says."""
        return self.js(
            "return !!known && modelText === text.value && !isDrawing && !drawsAgain && !isChecking && !checksAgain"
            " && !document.getElementById('stage').classList.contains('stale')"
        )

    def settle(self, what):
        return self.until(self.is_settled, what)

    def picture(self):
        """The bytes that the server sent for the picture that is shown."""
        text = self.driver.execute_async_script(
            "const done = arguments[0]; fetch(document.getElementById('picture').src).then(r => r.blob()).then(b => {"
            " const reader = new FileReader(); reader.onload = () => done(reader.result.split(',')[1]); reader.readAsDataURL(b); })"
        )
        return base64.b64decode(text)

    def pixels(self):
        """Red, green, blue of the shown picture, every pixel."""
        return self.js(
            "const i = document.getElementById('picture'), c = document.createElement('canvas'); c.width = i.naturalWidth;"
            " c.height = i.naturalHeight; const x = c.getContext('2d'); x.drawImage(i, 0, 0);"
            " return Array.from(x.getImageData(0, 0, c.width, c.height).data.filter((_, n) => n % 4 < 3))"
        )

    def select(self, piece):
        """Puts the selection on a piece of the text."""
        found = self.js(
            "const t = document.getElementById('text'), at = t.value.indexOf(arguments[0]); t.focus();"
            " t.setSelectionRange(at, at + arguments[0].length); return at", piece)
        assert found >= 0, piece

    def type(self, *keys):
        self.one("#text").send_keys(*keys)

    def put(self, document):
        self.js("const t = document.getElementById('text'); t.value = arguments[0]; t.dispatchEvent(new Event('input'))", document)

    def control(self, name, kind):
        return self.one(f"#controls input[data-parameter='{name}'][type={kind}]")


def run_of(folder, name, document, picture):
    """What `run` writes for this text and picture."""
    path = os.path.join(folder, "told.json")
    write(path, document.encode())
    output = os.path.join(folder, f"run-{name}")
    labelpipe("run", path, picture, "--output", output, "--quiet")
    return read(os.path.join(output, os.path.basename(picture)))


def live_page(folder, driver, photos):
    document = os.path.join(folder, "mark.json")
    shutil.copy(os.path.join(ROOT, "Pipelines/watermark.json"), document)
    original = read(document)
    broken = os.path.join(folder, "broken.jpg")
    write(broken, read(photos[0])[:3000])
    server = subprocess.Popen(
        [PROGRAM, "preview", document, *photos, broken, "--serve"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        # A shell that runs this in the background has it ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    try:
        address = server.stdout.readline().strip()
        check(address.startswith("http://127.0.0.1:"), f"the address is printed: {address[:24]}…")
        gate(address, document, original)
        page = Page(driver)
        driver.get(address)
        page.settle("the page shows the picture")
        page.shot("live")
        check(page.one("#title").text == "Copyright line", "the document's title is the page's")
        check(page.picture() == run_of(folder, "first", page.document, photos[0]), "the picture is byte for byte what run writes")

        errors(page)
        sliders(page, folder, photos)
        nodes(page)
        components(page, folder)
        pictures(page, folder, photos, server.pid)
        saving(page, document, original)
        worker_gone(page, server.pid)
        noise = [entry for entry in driver.get_log("browser") if "422" not in entry["message"] and "409" not in entry["message"]]
        check(not noise, f"the browser's console is quiet {noise[:2]}")
        driver.get("about:blank")
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(10)
    check(server.returncode != 0, "Ctrl-C ends it")


def gate(address, document, original):
    """Other pages in the same browser get nothing."""
    host, token = address.split("/")[2:4]
    port = int(host.split(":")[1])

    def ask(method, path, headers, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        connection.putrequest(method, path, skip_host=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        return connection.getresponse().status

    own = {"Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin", "X-Known": "any"}
    here = f"/{token}/"
    check(ask("GET", here, {"Host": host}) == 200, "the address answers")
    check(ask("GET", "/", {"Host": host}) == 403, "without the secret: refused")
    check(ask("GET", f"/{token[:-1]}0x/", {"Host": host}) == 403, "with another secret: refused")
    check(ask("GET", here, {"Host": f"evil.example:{port}"}) == 403, "by a name that was rebound: refused")
    check(ask("GET", here, {"Host": host, "Sec-Fetch-Site": "cross-site"}) == 403, "from another site: refused")
    for origin in ["http://evil.example", "null", f"http://127.0.0.1:{port + 1}", f"https://{host}"]:
        check(ask("POST", here + "save", {**own, "Origin": origin}, b"{}") == 403, f"saving from {origin}: refused")
    headers = dict(own)
    del headers["Origin"]
    check(ask("POST", here + "save", headers, b"{}") == 403, "saving from nowhere: refused")
    check(read(document) == original, "the file is untouched")
    check(ask("POST", here + "check", own, b"{") == 200, "the page itself may ask")
    listening = [line.split()[1] for line in open("/proc/net/tcp") if line.split()[3] == "0A"]
    ends = [end for end in listening if int(end.split(":")[1], 16) == port]
    check(ends and all(end.startswith("0100007F") for end in ends), "it listens on 127.0.0.1 alone")


def errors(page):
    """What is wrong is told at its line as one types."""
    line = page.document[: page.document.index("text.mask")].count("\n") + 1
    page.select("text.mask")
    page.type("text.msak")
    row = f"#lines .row:nth-child({line})"
    page.until(lambda: "bad" in page.one(row).get_attribute("class").split(), "the line with the error is marked")
    check("unknown effect" in page.one(row + " .note").text, "the message stands at the line")
    check(page.one("#problems b").text.startswith(f"{line}:"), "the list names line and column")
    check("did you mean" in page.one("#problems").text, "and what was probably meant")
    note = page.one(row + " .note").rect
    check(note["x"] + note["width"] <= page.one("#scroll").rect["width"] and note["width"] > 100, "in view, however long the line is")
    page.shot("live-error")
    page.select("\"title\"")
    page.type("title")
    page.until(lambda: "1 problem" in page.one("#status").text, "syntax errors are told too")
    page.type(Keys.CONTROL, "z")
    page.type(Keys.CONTROL, "z")
    page.type(Keys.CONTROL, "z")
    page.settle("undone, the picture is back")
    check(not page.driver.find_elements(By.CSS_SELECTOR, "#lines .row.bad"), "nothing is marked any more")


def sliders(page, folder, photos):
    before = page.picture()
    slider = page.control("insets", "range")
    slider.send_keys(*[Keys.ARROW_RIGHT] * 12)
    page.until(lambda: "\"default\": \"3vmin\"" not in page.document, "the slider writes into the document")
    page.settle("the picture follows the slider")
    after = page.picture()
    check(before != after, "pixels change")
    check(after == run_of(folder, "slider", page.document, photos[0]), "and are still what run writes")
    check(json.loads(page.document)["parameters"]["insets"]["default"].endswith("vmin"), "in the unit that was written")
    # A native colour dialog cannot be driven: what it does is to set the value and say so.
    page.js(
        "const c = document.querySelector(\"#controls input[data-parameter='color'][type=color]\"); c.value = '#ff0000';"
        " c.dispatchEvent(new Event('input', { bubbles: true }))")
    page.settle("the picture follows the colour")
    check(json.loads(page.document)["parameters"]["color"]["default"] == "#FF0000", "the colour is in the document")
    data = page.pixels()
    reds = sum(1 for i in range(0, len(data), 3) if data[i] > 200 and data[i + 1] < 60 and data[i + 2] < 60)
    check(reds > 200, f"the letters are red ({reds} pixels)")
    anchor = page.one("#controls select[data-parameter='anchor']")
    Select(anchor).select_by_value("top-left")
    page.settle("the picture follows the choice")
    check("+" in page.one("#facts").text and page.picture() != after, "the line stands elsewhere")
    page.shot("live-slider")
    page.type(Keys.CONTROL, "z")
    page.settle("undone")
    check(json.loads(page.document)["parameters"]["anchor"]["default"] == "bottom-right", "undo takes a control's value back")


def nodes(page):
    page.one("#nodes button[data-pointer='/nodes/line/3']").click()
    page.until(lambda: page.one("#picture").get_attribute("data-shows") == "/nodes/line/3", "a click shows the node's layer")
    check("frame" in page.one("#facts").text, "with its frame")
    check(page.js("return document.getElementById('picture').naturalWidth") < 1250, "which is not the picture")
    check(page.picture()[:4] == b"\x89PNG", "as PNG")
    marked = [row.text for row in page.driver.find_elements(By.CSS_SELECTOR, "#lines .row.node")]
    check(len(marked) == 1 and "shadow.drop" in marked[0], "its lines are marked")
    page.shot("live-node")
    before = page.picture()
    page.control("blur", "range").send_keys(*[Keys.ARROW_RIGHT] * 5)
    page.until(lambda: "blur" in json.loads(page.document)["nodes"]["line"][3], "a parameter that was not written is written")
    page.settle("the layer follows")
    check(page.picture() != before, "and its pixels change")
    page.control("spread", "range").send_keys(Keys.ARROW_RIGHT)
    page.settle("a second parameter")
    shadow = json.loads(page.document)["nodes"]["line"][3]
    check(set(shadow) == {"effect", "blur", "spread"}, f"both are there once: {shadow}")
    page.one("#nodes button[data-pointer='']").click()
    page.until(lambda: page.one("#picture").get_attribute("data-shows") == "result", "back to the result")


def components(page, folder):
    """A document used as an effect: the keys of its node are controls; a warning is told and stops nothing."""
    write(os.path.join(folder, "dot.json"), json.dumps({
        "labelpipe": 1, "parameters": {"side": {"type": "length", "default": 60, "minimum": 1, "maximum": 200},
                                       "tone": {"type": "color", "default": "#00FF00"}},
        "output": [{"effect": "shape.ellipse", "size": ["$side", "$side"]}, {"effect": "fill.solid", "color": "$tone"}]}).encode())
    before = page.document
    document = {"labelpipe": 1, "output": [{"effect": "image.source"}, {"effect": "layout.place", "label": {"effect": "dot.json"}}]}
    page.put(json.dumps(document))
    page.settle("a document that uses another")
    page.one("#nodes button[data-pointer='/output/1/label']").click()
    page.until(lambda: page.one("#picture").get_attribute("data-shows") == "/output/1/label", "what flows out of it is shown")
    shown = page.picture()
    page.control("side", "range").send_keys(*[Keys.ARROW_RIGHT] * 3)
    page.until(lambda: "side" in json.loads(page.document)["output"][1]["label"], "its parameter is written at its node")
    page.settle("the layer follows")
    check(page.picture() != shown, "and its pixels change")
    page.shot("live-component")
    page.one("#nodes button[data-pointer='']").click()
    page.put(json.dumps({**document, "parameters": {"who": {"type": "string", "default": "{stem}"}}}))
    page.until(lambda: "is drawn as it stands" in page.one("#problems").text, "a warning is told at its line")
    page.settle("and the picture is drawn all the same")
    page.put(before)
    page.settle("the first document again")


def pictures(page, folder, photos, pid):
    page.one("#next").click()
    page.settle("the second picture")
    check(page.picture() == run_of(folder, "second", page.document, photos[1]), "it is what run writes")
    page.one("#next").click()
    page.until(lambda: page.one("#failure").is_displayed(), "a damaged picture is told")
    check("damaged" in page.one("#failure").text, f"with its reason: {page.one('#failure').text!r}")
    page.shot("live-failure")
    page.one("#next").click()
    page.settle("and the next one is shown")
    check(page.one("#picture").is_displayed(), "the first picture again")


def saving(page, document, original):
    check(read(document) == original, "nothing is written before it is asked for")
    page.one("#text").send_keys(Keys.CONTROL, "s")
    page.until(lambda: page.one("#status").text == "saved", "Ctrl-S saves")
    check(read(document).decode() == page.document, "what is in the editor")
    write(document, original)
    page.select("Copyright line")
    page.type("Another line")
    page.settle("edited again")
    page.one("#save").click()
    page.until(lambda: has_alert(page.driver), "a file that something else changed is not written over unasked")
    page.driver.switch_to.alert.dismiss()
    check(read(document) == original, "and stays when one says no")
    page.one("#save").click()
    page.until(lambda: has_alert(page.driver), "asked again")
    page.driver.switch_to.alert.accept()
    page.until(lambda: read(document).decode() == page.document, "and is written when one says yes")


def has_alert(driver):
    try:
        driver.switch_to.alert.text
        return True
    except Exception:
        return False


def worker_gone(page, pid):
    children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout.split()
    check(len(children) == 1, "one worker lives")
    os.kill(int(children[0]), signal.SIGKILL)
    drawn = int(page.one("#picture").get_attribute("data-drawn"))
    page.control("size", "range").send_keys(Keys.ARROW_LEFT)
    page.until(lambda: int(page.one("#picture").get_attribute("data-drawn")) > drawn, "after a crash a fresh worker draws on")


def gallery(folder, driver, photos):
    inputs = os.path.join(folder, "photos")
    os.mkdir(inputs)
    for number in range(70):
        shutil.copy(photos[number % 2], os.path.join(inputs, f"photo {number:02} <i>&amp;.jpg"))
    write(os.path.join(inputs, "damaged.jpg"), read(photos[0])[:5000])
    page_file = os.path.join(folder, "gallery.html")
    done = subprocess.run(
        [PROGRAM, "run", os.path.join(ROOT, "Pipelines/watermark.json"), inputs, "--output", os.path.join(folder, "marked"),
         "--gallery", page_file, "--quiet"], capture_output=True, text=True)
    check(done.returncode == 1, "one picture of the run fails")
    page = Page(driver)
    driver.get("file://" + page_file)
    images = "return [...document.querySelectorAll('.card img')]"
    page.until(lambda: page.js(images + ".filter(i => i.complete && i.naturalWidth > 0).length >= 6"), "small copies are shown")
    page.shot("gallery")
    check("70" in page.one("#figures").text, "the totals stand above")
    check(page.one(".card.failed").text.count("damaged") >= 1, "the failure has its reason")
    check("<i>&amp;" in page.one(".card.done .name").text, "names are text")
    built = page.js("return document.querySelectorAll('.card').length")
    check(built < 71, f"cards are made as one scrolls ({built} of 71)")
    page.js("window.scrollTo(0, document.body.scrollHeight)")
    page.until(lambda: page.js("return document.querySelectorAll('.card').length") == 71, "down to the last")
    page.js("window.scrollTo(0, 0)")
    slider = page.one(".card.done .pair input")
    before = page.js("return document.querySelector('.card.done .pair').style.getPropertyValue('--x')")
    slider.send_keys(*[Keys.ARROW_RIGHT] * 20)
    after = page.js("return document.querySelector('.card.done .pair').style.getPropertyValue('--x')")
    check(before != after, f"the line between before and after moves ({before} to {after})")
    page.one("#boxes").click()
    box = page.one(".card.done .pair .box")
    check(box.is_displayed(), "boxes are shown")
    frame = page.one(".card.done .pair").rect
    check(box.rect["x"] > frame["x"] + frame["width"] / 2 and box.rect["y"] > frame["y"] + frame["height"] / 2,
          "where the line stands: below, to the right")
    page.shot("gallery-boxes")
    page.js("document.querySelectorAll('#tabs button')[2].click()")
    check(len(driver.find_elements(By.CSS_SELECTOR, ".card")) == 1, "failures alone")
    link = page.js("document.querySelectorAll('#tabs button')[1].click(); return document.querySelector('.card .name a').href")
    driver.get(link)
    check(page.js("return document.images.length && document.images[0].naturalWidth") == 1200, "a name leads to the output")
    check(not driver.get_log("browser"), "the browser's console is quiet")


def main():
    folder = tempfile.mkdtemp(prefix="labelpipe-live-")
    driver = browser()
    try:
        driver.set_script_timeout(PATIENCE)
        plain = os.path.join(folder, "plain.json")
        write(plain, b'{ "labelpipe": 1, "output": { "effect": "image.source" } }')
        photos = [os.path.join(folder, "one.jpg"), os.path.join(folder, "two.jpg")]
        labelpipe("preview", plain, "--output", photos[0])
        labelpipe(
            "preview", os.path.join(ROOT, "Pipelines/watermark.json"), photos[0], "--set", "text=two", "--set", "anchor=top",
            "--output", photos[1])
        print("The live page", flush=True)
        live_page(folder, driver, photos)
        print("The gallery", flush=True)
        gallery(folder, driver, photos)
    finally:
        driver.quit()
        shutil.rmtree(folder, ignore_errors=True)
    if failures:
        print(f"{len(failures)} of the live page's checks failed", file=sys.stderr)
        return 1
    return 0


sys.exit(main())
