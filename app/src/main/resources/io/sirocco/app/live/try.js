// SPDX-License-Identifier: Apache-2.0
//
// The page to try the channels: a client like any other. Untrusted strings are set as text.

import { Socket } from "./socket.js";

const MOST = 200; // lines

const $ = (id) => document.getElementById(id);
const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};
const settings = await (await fetch("try.json")).json();
const rooms = new Set();
let socket = null;

// --- display ---

function shown(value) {
  return JSON.stringify(value, (key, each) => (each instanceof ArrayBuffer ? `${each.byteLength} bytes` : each));
}

function log(way, colour, name, values = []) {
  const code = make("code", {}, make("b", { textContent: name }), values.length ? ` ${values.map(shown).join(", ")}` : "");
  $("log").prepend(make("li", {},
    make("time", { textContent: new Date().toLocaleTimeString("en-GB") }),
    make("span", { className: `way ${colour}`, textContent: way }), code));
  while ($("log").children.length > MOST) $("log").lastChild.remove();
  $("nothing").hidden = true;
}

function state(word) {
  const labels = { apart: "not connected", connecting: "connecting", connected: "connected" };
  $("state").textContent = labels[word];
  $("state").dataset.state = word;
  $("connect-button").textContent = word === "apart" ? "Connect" : "Disconnect";
  $("connect-button").disabled = false;
  $("password").disabled = word !== "apart";
  for (const button of document.querySelectorAll("#join button, #publish button, #request button")) button.disabled = word !== "connected";
}

function chips() {
  $("rooms").replaceChildren(...[...rooms].map((room) => {
    const chip = make("button", { type: "button", textContent: room });
    chip.setAttribute("aria-label", `Leave ${room}`);
    chip.addEventListener("click", () => ask("leave", [room]).then(() => rooms.delete(room) && chips(), () => {}));
    return chip;
  }));
}

// --- actions ---

function connect() {
  state("connecting");
  const key = $("password").value.trim();
  const auth = { password: $("password").value, offsets: false };
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(key)) auth.token = key; // it looks like a JSON Web Token
  socket = new Socket(settings.path, auth, {
    connected(id) {
      state("connected");
      log("•", "good", "connected", [id]);
    },
    refused(message) {
      log("!", "bad", "refused", [message]);
      socket.close();
    },
    event: (name, values) => log("←", "two", name, values),
    closed(reason) {
      if (socket) log("•", "bad", "disconnected", [reason]);
      apart();
    },
  });
}

function apart() {
  socket = null;
  rooms.clear();
  chips();
  state("apart");
}

async function ask(name, values) {
  log("→", "one", name, values);
  const began = performance.now();
  const answer = await socket.request(name, values);
  const error = answer[0]?.error;
  log("←", error ? "bad" : "good", `response to ${name}, ${(performance.now() - began).toFixed(1)} ms`, error ? [`${error.code}: ${error.message}`] : answer);
  if (error) throw new Error(error.message);
  return answer;
}

function listOf(id) {
  try {
    return JSON.parse(`[${$(id).value}]`);
  } catch {
    log("!", "bad", "The arguments are not valid JSON. Put strings in quotes.");
    return null;
  }
}

function on(form, action) {
  $(form).addEventListener("submit", (event) => {
    event.preventDefault();
    Promise.resolve(action()).catch(() => {}); // the log has it
  });
}

on("connect", () => {
  if (!socket) return connect();
  const last = socket;
  log("•", "", "disconnected");
  apart();
  last.close();
});
on("join", async () => {
  const room = $("room").value;
  await ask("join", [room]);
  rooms.add(room);
  chips();
});
on("publish", () => {
  const values = listOf("arguments");
  return values && ask("publish", [$("to").value, $("event").value, ...values]);
});
on("request", () => {
  const values = listOf("values");
  return values && ask($("name").value, values);
});
$("clear").addEventListener("click", () => {
  $("log").replaceChildren();
  $("nothing").hidden = false;
});

state("apart");
