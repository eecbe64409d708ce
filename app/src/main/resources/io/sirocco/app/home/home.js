// SPDX-License-Identifier: Apache-2.0
//
// The page of a controller: /home/events streams its state. Untrusted strings are set as text, never as HTML.

const SILENCE = 15_000; // milliseconds without an event; there is one every 5 s
const CLASSES = {
  0: "controller", 1: "other controller", 4: "switch", 5: "dimmer", 6: "timer", 14: "PID controller", 15: "calendar", 16: "scheduler",
  18: "thermostat", 24: "blind", 31: "push", 39: "sunrise and sunset", 40: "presence sensor", 43: "event scheduler", 44: "storage",
  120: "HTTP listener", 121: "HTTP request", 999: "MQTT topic",
};
// The objects of the demo, which are simulated by its USER.LUA.
const DEMO_CLASSES = { 20: "temperature sensor" };
const DEMO = { 18: ["CurrentTemp", "TargetTemp", "State", "Heating"], 20: ["Value"], 24: ["State", "Position"] };
const TIMER_STATES = ["stopped", "counting", "paused"];

const $ = (id) => document.getElementById(id);
const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};
const number = (text) => (text === undefined || text === "" || !Number.isFinite(Number(text)) ? null : Number(text));

let demo = false;

async function post(path, body) {
  const response = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const type = response.headers.get("Content-Type") ?? "";
  const answer = type.includes("json") ? await response.json() : { error: { message: await response.text() } };
  if (!response.ok) throw new Error(answer.error?.message || response.statusText);
  return answer;
}

// --- objects ---

// A control has update(features), which gets the values by index. It may leave out what the user is changing.
const set = (card, feature, value) => card.run("home/set", { object: card.name, feature, value });
const execute = (card, method, ...values) => card.run("home/execute", { object: card.name, method, arguments: values });

// A switch that calls change(on) when it is pressed.
function switchOf(card, change) {
  const button = make("button", { type: "button", className: "switch" });
  button.setAttribute("role", "switch");
  button.setAttribute("aria-label", card.name);
  button.addEventListener("click", () => change(button.getAttribute("aria-checked") !== "true"));
  card.top.append(button);
  return (value) => button.setAttribute("aria-checked", String(value === "true" || number(value) > 0));
}

// A range that follows the controller except while it is moved, and shortly after.
function range(label, properties, changed, text) {
  const input = make("input", { type: "range", ...properties });
  const output = make("output");
  let until = 0;
  input.setAttribute("aria-label", label);
  const show = () => { output.textContent = text(Number(input.value)); };
  input.addEventListener("input", () => { until = performance.now() + 3_000; show(); });
  input.addEventListener("change", () => { until = performance.now() + 700; changed(Number(input.value)); });
  return {
    line: make("div", { className: "line" }, input, output),
    update(value) {
      if (performance.now() < until) return;
      input.value = value ?? 0;
      show();
    },
  };
}

const percent = (value) => `${Math.round(value)} %`;

const CONTROLS = {
  4: (card) => {
    const shown = switchOf(card, (on) => set(card, 0, on ? 1 : 0));
    return (features) => shown(features[0]);
  },
  5: (card) => {
    let last = 1;
    const shown = switchOf(card, (on) => set(card, 0, on ? last : 0));
    const level = range(`${card.name}: brightness`, { min: 0, max: 100 }, (value) => set(card, 0, value / 100), percent);
    card.control.append(level.line);
    return (features) => {
      const value = number(features[0]) ?? 0;
      if (value > 0) last = value;
      shown(features[0]);
      level.update(value * 100);
    };
  },
  6: (card) => {
    const word = make("span", { className: "word" });
    const button = make("button", { type: "button", className: "quiet" });
    let runs = false;
    button.addEventListener("click", () => execute(card, runs ? 1 : 0));
    card.control.append(word, button);
    return (features) => {
      runs = number(features[2]) === 1;
      word.textContent = `${TIMER_STATES[number(features[2])] ?? ""}, ${number(features[1]) ? "every" : "after"} ${features[0]} ms`;
      button.textContent = runs ? "Stop" : "Start";
    };
  },
  18: demoOnly((card) => {
    const reading = make("span", { className: "reading" });
    const word = make("span", { className: "word" });
    const target = range(`${card.name}: target`, { min: 5, max: 30, step: 0.5 }, (value) => set(card, 1, value), (value) => `${value.toFixed(1)} °C`);
    card.top.append(reading);
    const shown = switchOf(card, (on) => execute(card, on ? 0 : 1));
    target.line.prepend(word);
    card.control.append(target.line);
    return (features) => {
      reading.textContent = `${(number(features[0]) ?? 0).toFixed(1)} °C`;
      const heats = number(features[3]) > 0;
      shown(features[2]);
      word.textContent = heats ? "heating" : number(features[2]) > 0 ? "target" : "off";
      word.classList.toggle("hot", heats);
      target.update(number(features[1]));
    };
  }),
  20: demoOnly((card) => {
    const reading = make("span", { className: "reading" });
    card.top.append(reading);
    return (features) => { reading.textContent = `${(number(features[0]) ?? 0).toFixed(1)} °C`; };
  }),
  24: demoOnly((card) => {
    const reading = make("span", { className: "reading" });
    const level = range(`${card.name}: position`, { min: 0, max: 100, step: 5 }, (value) => execute(card, 10, value), percent);
    const button = (text, ...call) => {
      const made = make("button", { type: "button", textContent: text });
      made.setAttribute("aria-label", `${card.name}: ${text}`);
      made.addEventListener("click", () => execute(card, ...call));
      return made;
    };
    const word = make("span", { className: "word" });
    card.top.append(reading);
    card.control.append(button("Open", 10, 100), button("Stop", 3), button("Close", 10, 0), word, level.line);
    return (features) => {
      reading.textContent = percent(number(features[1]) ?? 0);
      word.textContent = ["", "opening", "closing"][number(features[0])] ?? "";
      level.update(number(features[1]));
    };
  }),
};

function demoOnly(control) {
  return (card) => (demo ? control(card) : () => {});
}

// A number, true, false or nil; anything else is a string, with or without quotes.
function parsed(text) {
  const word = text.trim();
  if (word === "true" || word === "false") return word === "true";
  if (word === "nil") return null;
  if (number(word) !== null) return Number(word);
  return word.replace(/^"(.*)"$/s, "$1");
}

class Card {
  constructor(object) {
    this.name = object.name;
    this.title = (demo && DEMO_CLASSES[object.type]) || CLASSES[object.type] || `class ${object.type}`;
    this.top = make("div", { className: "top" }, make("h3", { textContent: object.name }, make("small", { textContent: this.title })));
    this.control = make("div", { className: "control" });
    this.said = make("p", { className: "said bad" });
    this.said.setAttribute("role", "status");
    this.features = make("dl", { className: "features" });
    this.element = make("article", { className: "object" }, this.top, this.control, this.said,
      make("details", {}, make("summary", { textContent: "Features" }), this.features, this.form()));
    this.key = keyOf(object);
    const update = CONTROLS[object.type]?.(this);
    this.show = update ?? (() => {});
  }

  form() {
    const kind = make("select", {}, new Option("set", "set"), new Option("execute", "execute"));
    kind.setAttribute("aria-label", "Action");
    const index = make("input", { type: "number", min: 0, max: 10_000, required: true, value: 0 });
    index.setAttribute("aria-label", "Index of the feature or method");
    const value = make("input", { placeholder: "value", maxLength: 1_000, autocomplete: "off", spellcheck: false });
    value.setAttribute("aria-label", "Value or argument");
    value.required = true;
    kind.addEventListener("change", () => { value.required = kind.value === "set"; });
    const form = make("form", { className: "change" }, kind, index, value, make("button", { textContent: "Do" }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (kind.value === "set") set(this, Number(index.value), parsed(value.value));
      else execute(this, Number(index.value), ...(value.value.trim() ? [parsed(value.value)] : []));
    });
    return form;
  }

  async run(path, body) {
    try {
      await post(path, body);
      this.said.textContent = "";
    } catch (error) {
      this.said.textContent = error.message;
    }
  }

  update(object) {
    const text = JSON.stringify(object.features);
    if (text === this.last) return;
    this.last = text;
    const values = {};
    const names = (demo && DEMO[object.type]) || [];
    this.features.replaceChildren(...object.features.map((feature) => {
      values[feature.index] = feature.value;
      const name = feature.name || names[feature.index] || "";
      return make("div", {}, make("dt", { textContent: `${feature.index} ${name}`.trim() }),
        make("dd", { textContent: feature.kind === "string" ? `"${feature.value}"` : feature.value }));
    }));
    this.show(values);
  }
}

const keyOf = (object) => `${object.gate ? "gate" : "object"} ${object.type} ${object.name}`;
let cards = new Map();

function showObjects(objects) {
  const before = cards;
  cards = new Map();
  for (const object of objects) {
    const key = keyOf(object);
    const card = before.get(key) ?? new Card(object);
    cards.set(key, card);
    card.update(object);
  }
  const changed = before.size !== cards.size || [...cards.keys()].some((key) => !before.has(key));
  if (changed) {
    const order = (card) => (CONTROLS[card.key.split(" ")[1]] ? 0 : 1); // devices first
    $("objects").replaceChildren(...[...cards.values()].sort((a, b) => order(a) - order(b)).map((card) => card.element));
  }
  $("objects-of").textContent = cards.size ? String(cards.size) : "";
}

// --- log ---

let lastLine = "";

function showLog(lines) {
  const last = lines.length ? JSON.stringify([lines.length, lines[0], lines.at(-1)]) : "none";
  if (last === lastLine) return;
  lastLine = last;
  const log = $("log");
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 24;
  log.replaceChildren(...lines.map((line) => {
    const time = new Date(line.time);
    return make("li", { className: line.level },
      make("time", { dateTime: line.time, textContent: time.toLocaleTimeString("en-GB") }), line.text);
  }));
  if (!lines.length) log.append(make("li", { className: "none", textContent: "The log is empty." }));
  if (atEnd) log.scrollTop = log.scrollHeight;
}

// --- clients ---

function showClients(clients) {
  $("clients-of").textContent = clients.length ? String(clients.length) : "";
  $("clients").replaceChildren(...clients.map((client) => make("div", {},
    make("dt", { textContent: `${client.host}:${client.port}` }),
    make("dd", { textContent: `id ${client.id}, ${client.values} ${client.values === 1 ? "feature" : "features"}` }))));
  $("no-clients").hidden = clients.length > 0;
}

// --- the controller ---

function showMqtt(mqtt, shown) {
  $("mqtt").textContent = mqtt.connected ? "connected" : mqtt.broker ? "connecting" : "off";
  const facts = [mqtt.broker.replace("tcp://", "")];
  if (mqtt.broker) facts.push(`${shown} in Home Assistant`);
  if (mqtt.waiting) facts.push(`${mqtt.waiting} messages wait`);
  $("mqtt-facts").textContent = facts.filter(Boolean).join(", ") || "no broker is set";
  $("mqtt-problem").textContent = mqtt.problem;
}

$("show-pin").addEventListener("click", async () => {
  if ($("show-pin").textContent === "Hide") {
    $("pin").textContent = "••••••••";
    $("show-pin").textContent = "Show";
    return;
  }
  const response = await fetch("home/pin");
  if (!response.ok) return;
  $("pin").textContent = (await response.json()).pin;
  $("show-pin").textContent = "Hide";
});

$("reset").addEventListener("click", () => post("home/reset", {}).catch((error) => { $("value").textContent = error.message; }));

$("console").addEventListener("submit", async (event) => {
  event.preventDefault();
  const value = $("value");
  value.className = "";
  value.textContent = "…";
  try {
    value.textContent = (await post("home/script", { script: $("script").value })).value;
  } catch (error) {
    value.className = "bad";
    value.textContent = error.message;
  }
});

$("script").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    $("console").requestSubmit();
  }
});

// --- the stream ---

let heard = 0;
let source = null;

function state(word, notice = "") {
  const shown = $("state");
  if (shown.textContent !== word) shown.textContent = word; // said aloud when it changes
  shown.dataset.state = word;
  $("notice").textContent = notice;
  $("notice").hidden = !notice;
  document.body.classList.toggle("stale", word === "disconnected");
}

const NOTICES = {
  emergency: "MAIN.LUA cannot run; the log says why. The emergency script runs instead.",
  error: "MAIN.LUA has ended with an error; the log says which.",
};

function hear(event) {
  heard = performance.now();
  const all = JSON.parse(event.data);
  demo = all.demo;
  state(all.state, all.busy ? "The scripts are busy: the objects are out of date." : NOTICES[all.state]);
  $("description").textContent = ["Virtual CLU", all.demo ? "demo" : "", all.fortified ? "fortified" : "",
    all.refused > 0 ? all.refused + " requests refused" : ""].filter(Boolean).join(", ");
  $("serial").textContent = all.serial;
  $("serial-decimal").textContent = `${parseInt(all.serial, 16)} decimal`;
  const [host, port] = all.address.split(":");
  $("address").textContent = host;
  $("port").textContent = `UDP port ${port}`;
  showMqtt(all.mqtt, all.shown);
  showClients(all.clients);
  if (!all.busy) {
    showObjects(all.objects);
    $("no-objects").hidden = all.objects.length > 0;
  }
  showLog(all.log);
}

function listen() {
  source?.close();
  source = new EventSource("home/events");
  source.addEventListener("state", hear);
  source.addEventListener("same", () => { heard = performance.now(); });
  source.addEventListener("error", broken);
}

// The browser reconnects by itself, unless the response was not a stream.
async function broken(event) {
  if (event.target !== source) return;
  state("disconnected", "The controller does not respond. Reconnecting; the values are out of date.");
  if (source.readyState !== EventSource.CLOSED) return;
  let status = 0;
  try {
    status = (await fetch("home", { method: "HEAD" })).status;
  } catch { /* then it does not answer */ }
  if (status === 401) {
    state("disconnected", "The token is no longer valid. Open this page with the new one: /home?token=…");
    return;
  }
  setTimeout(listen, 3_000);
}

// A lost network is silent.
setInterval(() => {
  if (source.readyState === EventSource.OPEN && heard && performance.now() - heard > SILENCE) {
    state("disconnected", "No data for some seconds; the values are out of date.");
  }
}, 1_000);

listen();
