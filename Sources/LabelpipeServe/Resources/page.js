"use strict";
const by = id => document.getElementById(id);
const element = (name, props = {}, ...children) => {
  const made = Object.assign(document.createElement(name), props);
  made.append(...children.filter(child => child != null));
  return made;
};
const text = by("text");
let known = null;      // what the server said of the file when it was read or saved
let saved = "";        // the text in the file
let model = null;      // the last good check: nodes and parameters with their places in `modelText`
let modelText = null;
let findings = [];
let selected = null;   // pointer of a node; null: the result
let input = 0;

async function ask(path, body, headers = {}) {
  const answer = await fetch(path, body === undefined ? { headers } : { method: "POST", body, headers: { "Content-Type": "text/plain;charset=utf-8", ...headers } });
  return answer;
}

// ---- editor -----------------------------------------------------------------

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escaped = part => part.replace(/[&<>]/g, c => escapes[c]);
function coloured(line) {
  return line.replace(/("(?:[^"\\]|\\.)*"?)(\s*:)?|(-?\d[\d.eE+-]*|\btrue\b|\bfalse\b|\bnull\b)|[^"\d]+?(?=["\d]|\btrue\b|\bfalse\b|\bnull\b|$)|./g,
    (all, string, colon, number) => string !== undefined ? `<span class="${colon ? "k" : "s"}">${escaped(string)}</span>${colon || ""}`
      : number !== undefined ? `<span class="n">${escaped(number)}</span>` : escaped(all));
}
function draw() {
  const lines = text.value.split("\n");
  const notes = new Map();
  for (const finding of findings) if (finding.line) {
    if (!notes.has(finding.line)) notes.set(finding.line, []);
    notes.get(finding.line).push(finding);
  }
  const node = selected != null && model && modelText === text.value ? model.nodes.find(n => n.pointer === selected && n.start != null) : null;
  let first = -1, last = -1;
  if (node) {
    first = text.value.slice(0, node.start).split("\n").length;
    last = text.value.slice(0, node.end).split("\n").length;
  }
  by("lines").innerHTML = lines.map((line, i) => {
    const here = notes.get(i + 1);
    const mark = i + 1 >= first && i + 1 <= last ? " node" : "";
    const note = here ? `<span class="note">${escaped(here.map(f => f.message).join(" · "))}</span>` : "";
    return here ? `<div class="row bad"><span class="code">${coloured(line)}</span>${note}</div>` : `<div class="row${mark}">${coloured(line)}</div>`;
  }).join("");
}
function goTo(line, column) {
  const lines = text.value.split("\n");
  const offset = lines.slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0) + [...(lines[line - 1] || "")].slice(0, column - 1).join("").length;
  text.focus({ preventScroll: true });
  text.setSelectionRange(offset, offset);
  by("scroll").scrollTo({ top: Math.max(0, (line - 6) * 20) });
}

// Undo of our own: a value that a slider writes is undone like one that was typed.
const history = [];
let at = -1, stamp = 0;
function remember() {
  const now = Date.now();
  if (at >= 0 && history[at].text === text.value) return;
  if (at > 0 && now - stamp < 500) history.length = at; else history.length = at + 1;
  history.push({ text: text.value, caret: text.selectionStart });
  at = history.length - 1;
  stamp = now;
}
function step(by) {
  if (!history[at + by]) return;
  at += by;
  text.value = history[at].text;
  text.setSelectionRange(history[at].caret, history[at].caret);
  stamp = 0;
  changed(false);
}
text.addEventListener("keydown", event => {
  const command = event.ctrlKey || event.metaKey;
  if (command && event.key.toLowerCase() === "z") { event.preventDefault(); step(event.shiftKey ? 1 : -1); }
  else if (command && event.key.toLowerCase() === "y") { event.preventDefault(); step(1); }
  else if (event.key === "Tab" && !event.shiftKey && !command) { event.preventDefault(); document.execCommand("insertText", false, "  "); }
  else if (event.key === "Escape") text.blur();
  else if (event.key === "Enter" && !command) {
    event.preventDefault();
    const before = text.value.slice(0, text.selectionStart);
    const indent = before.slice(before.lastIndexOf("\n") + 1).match(/^\s*/)[0];
    document.execCommand("insertText", false, "\n" + indent + (/[\[{]\s*$/.test(before) ? "  " : ""));
  }
});
text.addEventListener("input", () => changed());

function changed(remembers = true) {
  if (remembers) remember();
  findings = [];
  draw();
  by("file").classList.toggle("dirty", text.value !== saved);
  by("save").disabled = text.value === saved;
  by("stage").classList.add("stale");
  checkSoon();
}

// ---- checking and drawing: one request at a time, the newest wins ----------------

let timer = 0, isChecking = false, checksAgain = false;
function checkSoon(delay = 90) { clearTimeout(timer); timer = setTimeout(check, delay); }
async function check() {
  if (isChecking) { checksAgain = true; return; }
  isChecking = true;
  const now = text.value;
  try {
    const result = await (await ask("check", now)).json();
    if (now === text.value) take(result, now);
  } catch (error) { say("No answer from labelpipe", true); }
  isChecking = false;
  if (checksAgain) { checksAgain = false; check(); }
}
function take(result, now) {
  findings = result.findings;
  by("problems").replaceChildren(...findings.map(f => {
    const item = element("li", {}, element("b", { textContent: f.line ? f.line + ":" + f.column : "" }), f.message);
    const help = [f.suggestion && `did you mean "${f.suggestion}"?`, ...(f.help || [])].filter(Boolean);
    for (const line of help) item.append(element("span", { className: "help", textContent: line }));
    if (f.pointer) item.append(element("span", { className: "help", textContent: f.pointer }));
    item.addEventListener("click", () => f.line && goTo(f.line, f.column));
    return item;
  }));
  if (findings.some(f => f.severity === "error")) {
    say(findings.length + (findings.length === 1 ? " problem" : " problems"), true);
    draw();
    return;
  }
  model = result;
  modelText = now;
  placed(model, now);
  by("title").textContent = model.title || "labelpipe";
  document.title = (model.title || known.file) + " · labelpipe";
  by("flip").hidden = !model.takesInput || known.inputs.length < 2;
  if (selected != null && !model.nodes.some(n => n.pointer === selected)) selected = null;
  listNodes();
  if (!by("controls").contains(document.activeElement) || !sameControls()) showControls();
  draw();
  render();
}
/// Byte offsets as offsets in the text.
function placed(model, now) {
  if (/^[\x00-\x7f]*$/.test(now)) return;
  const map = new Map();
  const wanted = new Set();
  const each = use => { for (const n of [...model.nodes, ...model.parameters.map(p => ({ parameters: [p] }))]) { use(n); (n.parameters || []).forEach(use); } };
  each(o => ["start", "end", "insert"].forEach(k => o[k] != null && wanted.add(o[k])));
  let byte = 0, index = 0;
  for (const c of now) {
    if (wanted.has(byte)) map.set(byte, index);
    const code = c.codePointAt(0);
    byte += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    index += c.length;
  }
  map.set(byte, index);
  each(o => ["start", "end", "insert"].forEach(k => { if (o[k] != null) o[k] = map.get(o[k]); }));
}

let isDrawing = false, drawsAgain = false;
async function render() {
  if (isDrawing) { drawsAgain = true; return; }
  if (!model || modelText !== text.value) return;
  isDrawing = true;
  const now = text.value;
  const node = selected == null ? null : model.nodes.find(n => n.pointer === selected);
  say("drawing …");
  try {
    let answer = await ask((node ? `node?node=${node.index}&` : "picture?") + `input=${input}`, now);
    let facts = JSON.parse(answer.headers.get("X-Labelpipe") || "{}");
    if (answer.ok && !/^image\/(jpeg|png|webp|gif|avif)/.test(answer.headers.get("Content-Type"))) {
      // A browser cannot show it: the last node's layer instead.
      facts.note = answer.headers.get("Content-Type") + " shown as PNG";
      const other = await ask(`node?node=${model.outputs[0]}&input=${input}`, now);
      if (other.ok) answer = other;
    }
    if (answer.ok) {
      const blob = await answer.blob();
      const old = by("picture").src;
      by("picture").src = URL.createObjectURL(blob);
      if (old.startsWith("blob:")) URL.revokeObjectURL(old);
      by("picture").hidden = false;
      by("failure").hidden = true;
      by("picture").dataset.bytes = blob.size;
      by("picture").dataset.shows = node ? node.pointer : "result";
      tell(facts, blob);
      if (now === text.value) { by("stage").classList.remove("stale"); say(facts.ms + " ms"); by("picture").dataset.drawn = (Number(by("picture").dataset.drawn) || 0) + 1; }
    } else {
      const result = await answer.json();
      by("picture").hidden = true;
      by("failure").hidden = false;
      by("failure").replaceChildren();
      for (const f of result.findings) {
        by("failure").append(element("div", {}, (f.pointer ? f.pointer + ": " : "") + f.message + (f.cause ? " (" + f.cause + ")" : "")));
        for (const line of f.help || []) by("failure").append(element("span", { className: "help", textContent: line }));
      }
      by("facts").replaceChildren();
      say("cannot be drawn", true);
    }
  } catch (error) { say("No answer from labelpipe", true); }
  isDrawing = false;
  if (drawsAgain) { drawsAgain = false; render(); }
}
const size = bytes => bytes >= 1e6 ? (bytes / 1e6).toFixed(1) + " MB" : Math.max(1, Math.round(bytes / 1e3)) + " kB";
function tell(facts, blob) {
  const told = [];
  if (facts.frame) told.push(`frame ${round(facts.frame[2])} × ${round(facts.frame[3])} px at ${round(facts.frame[0])}, ${round(facts.frame[1])}`);
  if (facts.width) told.push(facts.width + " × " + facts.height);
  if (!facts.frame) told.push(size(blob.size));
  if (facts.mode) told.push(facts.mode);
  if (facts.boxes && facts.boxes.length) told.push("drawn at " + facts.boxes.slice(0, 3).map(b => `${b[2]}×${b[3]}+${b[0]}+${b[1]}`).join(" "));
  if (facts.note) told.push(facts.note);
  by("facts").replaceChildren(...told.map(t => element("span", { textContent: t + "   " })), ...(facts.warnings || []).map(w => element("span", { className: "warn", textContent: w + "   " })));
}
const round = value => Math.round(value * 10) / 10;
function say(words, isBad = false) { by("status").textContent = words; by("status").className = isBad ? "bad" : ""; }

// ---- nodes and their parameters ---------------------------------------------------

function listNodes() {
  const button = (number, what, id, kind, pointer) => {
    const made = element("button", { title: pointer || "" }, element("span", { className: "number", textContent: number }),
      element("span", { className: "what" }, what, id ? element("span", { className: "id", textContent: id }) : null), element("span", { className: "kind", textContent: kind }));
    made.dataset.pointer = pointer ?? "";
    made.setAttribute("aria-pressed", pointer === selected);
    made.addEventListener("click", () => { selected = pointer; listNodes(); showControls(); draw(); render(); reveal(); });
    return element("li", {}, made);
  };
  by("nodes").replaceChildren(button("", "Result", "", "", null),
    ...model.nodes.map(n => button(n.index + 1, n.effect, n.name || "", n.gives, n.pointer)));
}
function reveal() {
  const node = model.nodes.find(n => n.pointer === selected);
  if (!node || node.start == null || modelText !== text.value) return;
  const line = text.value.slice(0, node.start).split("\n").length;
  const top = (line - 1) * 20, view = by("scroll");
  if (top < view.scrollTop || top > view.scrollTop + view.clientHeight - 80) view.scrollTo({ top: Math.max(0, top - 100) });
}
const owner = () => selected == null ? null : model.nodes.find(n => n.pointer === selected);
const shownParameters = () => { const node = owner(); return node ? node.parameters || [] : model.parameters; };
let controlsOf = "";
const signature = () => (selected ?? "") + "|" + shownParameters().map(p => p.name + ":" + p.kind).join(" ");
const sameControls = () => controlsOf === signature();
function showControls() {
  controlsOf = signature();
  const node = owner();
  by("heading").textContent = node ? node.effect : "Parameters of the document";
  const all = shownParameters();
  by("controls").replaceChildren(...all.map(control));
  if (!all.length) by("controls").append(element("p", { className: "empty", textContent: node && node.start == null ? "From another document: " + node.file : node ? "It has none." : "It declares none." }));
}

/// Writes a parameter's value into the text; null takes it out of a node again.
function write(name, value) {
  const parameter = shownParameters().find(p => p.name === name);
  if (!parameter || modelText !== text.value) return;
  const raw = JSON.stringify(value);
  let start, end, piece;
  if (parameter.start != null) { start = parameter.start; end = parameter.end; piece = raw; }
  else if (parameter.insert != null) { start = end = parameter.insert; piece = `, ${JSON.stringify(parameter.key || parameter.name)}: ${raw}`; }
  else return;
  const scroll = by("scroll").scrollTop;
  text.setRangeText(piece, start, end, "preserve");
  by("scroll").scrollTop = scroll;
  const shift = piece.length - (end - start);
  for (const n of model.nodes) {
    if (n.start != null && n.start >= end && n.start !== start) n.start += shift;
    if (n.end != null && n.end >= end) n.end += shift;
  }
  for (const p of [...model.parameters, ...model.nodes.flatMap(n => n.parameters || [])]) {
    if (p === parameter) continue;
    for (const key of ["start", "end", "insert"]) if (p[key] != null && p[key] >= end && !(key === "insert" && start === end && p[key] === start)) p[key] += shift;
  }
  if (parameter.start != null) parameter.end = start + piece.length;
  else { parameter.start = start + piece.length - raw.length; parameter.end = start + piece.length; }
  parameter.written = raw;
  modelText = text.value;
  changed();
  modelText = text.value;
}

const canvas = document.createElement("canvas").getContext("2d");
function hex(value) {
  if (typeof value !== "string" || /[$]|-to\(/.test(value)) return null;
  canvas.fillStyle = "#010203"; canvas.fillStyle = value; const one = canvas.fillStyle;
  canvas.fillStyle = "#040506"; canvas.fillStyle = value;
  if (one !== canvas.fillStyle) return null;
  if (one[0] === "#") return { color: one, alpha: 1 };
  const parts = one.match(/[\d.]+/g).map(Number);
  return { color: "#" + parts.slice(0, 3).map(v => v.toString(16).padStart(2, "0")).join(""), alpha: parts[3] ?? 1 };
}
const measure = value => typeof value === "number" ? { value, unit: "" } : typeof value === "string" && /^\s*[-+]?[\d.]+\s*(px|vmin|vmax|vw|vh|em|mm|cm|in|pt|deg)?\s*$/.test(value) ? { value: parseFloat(value), unit: value.replace(/[-+\d.\s]/g, "") } : null;

function control(parameter) {
  const isWritten = parameter.written != null;
  const value = isWritten ? JSON.parse(parameter.written) : parameter.default;
  const label = element("label", { textContent: parameter.name });
  if (!isWritten) label.append(element("span", { className: "off", textContent: parameter.default === undefined ? "not written" : "default" }));
  const inputs = element("div", { className: "inputs" });
  const put = (made, name) => { made.setAttribute("aria-label", parameter.name + (name ? " " + name : "")); made.dataset.parameter = parameter.name; inputs.append(made); return made; };
  const set = made => { label.querySelector(".off")?.remove(); write(parameter.name, made); };
  const kinds = parameter.kind.split(" or ");
  const isText = () => {
    const isPlain = ["string", "template", "path"].includes(parameter.kind);
    const shown = value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);
    const field = put(element("input", { type: "text", value: shown, placeholder: parameter.default === undefined || parameter.default === null ? "" : typeof parameter.default === "string" ? parameter.default : JSON.stringify(parameter.default) }));
    field.addEventListener("input", () => {
      let made = field.value;
      if (!isPlain) { try { made = JSON.parse(field.value); } catch { } }
      set(made);
    });
  };
  const colour = (parameter.kind === "color" || parameter.kind === "paint") && hex(value ?? "#000000");
  const length = ["length", "insets", "angle", "number", "integer"].includes(parameter.kind) && measure(value ?? (parameter.minimum > 0 ? parameter.minimum : 0));
  if (parameter.choices) {
    const select = put(element("select"));
    if (value === undefined || value === null) select.append(element("option", { value: "", textContent: "—" }));
    for (const choice of parameter.choices) select.append(element("option", { value: choice, textContent: choice, selected: choice === value }));
    if (typeof value === "string" && !parameter.choices.includes(value)) select.append(element("option", { value, textContent: value, selected: true }));
    select.addEventListener("change", () => select.value && set(select.value));
  } else if (parameter.kind === "boolean" && typeof (value ?? false) === "boolean") {
    const box = put(element("input", { type: "checkbox", checked: !!value }));
    box.addEventListener("change", () => set(box.checked));
  } else if (colour) {
    const pick = put(element("input", { type: "color", value: colour.color }));
    const alpha = put(element("input", { type: "range", min: 0, max: 255, step: 1, value: Math.round(colour.alpha * 255), title: "opacity" }), "opacity");
    const field = put(element("input", { type: "text", className: "short", value: value ?? "" }), "text");
    const made = () => pick.value.toUpperCase() + (alpha.value === "255" ? "" : Number(alpha.value).toString(16).padStart(2, "0").toUpperCase());
    for (const each of [pick, alpha]) each.addEventListener("input", () => { field.value = made(); set(made()); });
    field.addEventListener("input", () => {
      const parsed = hex(field.value);
      if (parsed) { pick.value = parsed.color; alpha.value = Math.round(parsed.alpha * 255); }
      set(field.value);
    });
  } else if (length) {
    const isWhole = parameter.kind === "integer";
    const unit = length.unit;
    const usual = { "": 100, px: 100, em: 1, vmin: 20, vmax: 20, vw: 100, vh: 100, mm: 50, cm: 5, in: 2, pt: 72, deg: 180 }[unit] ?? 100;
    let low = parameter.kind === "angle" ? -180 : Math.max(parameter.minimum ?? -Infinity, 0);
    let high = parameter.kind === "angle" ? 180 : Math.max(2 * Math.abs(length.value), parameter.kind === "number" ? 1 : usual);
    if (parameter.minimum != null && parameter.minimum < 0 && parameter.kind !== "angle") low = Math.max(parameter.minimum, -high);
    if (length.value < low) low = length.value;
    if (parameter.maximum != null && (unit === "" || unit === "px")) high = Math.min(high, parameter.maximum);
    if (parameter.kind === "number" && parameter.minimum != null && parameter.maximum != null && parameter.maximum - parameter.minimum <= 1000) { low = parameter.minimum; high = parameter.maximum; }
    const grain = isWhole ? 1 : 10 ** Math.floor(Math.log10(Math.max(high - low, 1e-6) / 100));
    const slider = put(element("input", { type: "range", min: low, max: high, step: grain, value: length.value }));
    const field = put(element("input", { type: "text", className: "short", value: (value ?? "") + "" }), "text");
    slider.addEventListener("input", () => {
      const number = Number(Number(slider.value).toPrecision(6));
      const made = unit ? number + unit : number;
      field.value = made;
      set(made);
    });
    field.addEventListener("input", () => {
      const parsed = measure(field.value);
      if (parsed) slider.value = parsed.value;
      set(parsed && !parsed.unit ? parsed.value : field.value);
    });
  } else isText();
  const made = element("div", { className: "control" }, label, parameter.description ? element("p", { className: "doc", textContent: parameter.description }) : null, inputs);
  return made;
}

// ---- pictures, saving, start --------------------------------------------------------

function flip(to) {
  const count = known.inputs.length;
  input = (to + count) % count;
  by("inputs").value = input;
  by("stage").classList.add("stale");
  render();
}
by("back").addEventListener("click", () => flip(input - 1));
by("next").addEventListener("click", () => flip(input + 1));
by("inputs").addEventListener("change", () => flip(Number(by("inputs").value)));
by("zoom").addEventListener("click", () => by("zoom").setAttribute("aria-pressed", by("stage").classList.toggle("real")));
async function save(force = false) {
  const now = text.value;
  if (now === saved) return;
  const answer = await ask("save", now, { "X-Known": force ? "any" : known.digest });
  const result = await answer.json();
  if (answer.ok) {
    saved = now;
    known.digest = result.digest;
    by("file").classList.toggle("dirty", text.value !== saved);
    by("save").disabled = text.value === saved;
    say("saved");
  } else if (answer.status === 409) {
    if (confirm(known.file + " was changed by something else since it was read. Write over it?")) save(true);
  } else say(result.message || "It cannot be saved", true);
}
by("save").addEventListener("click", () => save());
addEventListener("keydown", event => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") { event.preventDefault(); save(); }
  if (event.altKey && known && !by("flip").hidden) {
    if (event.key === "ArrowLeft") { event.preventDefault(); flip(input - 1); }
    if (event.key === "ArrowRight") { event.preventDefault(); flip(input + 1); }
  }
});
addEventListener("beforeunload", event => { if (text.value !== saved) event.preventDefault(); });
(async () => {
  known = await (await ask("state")).json();
  text.value = saved = known.document;
  by("file").textContent = known.file;
  if (!known.canSave) by("save").hidden = true;
  // What all share says nothing.
  const folders = known.inputs.map(name => name.slice(0, name.lastIndexOf("/") + 1));
  let shared = folders[0] || "";
  while (shared && !folders.every(folder => folder.startsWith(shared))) shared = shared.slice(0, shared.lastIndexOf("/", shared.length - 2) + 1);
  by("inputs").append(...known.inputs.map((name, i) => element("option", { value: i, textContent: name.slice(shared.length), title: name })));
  remember();
  draw();
  check();
})();
