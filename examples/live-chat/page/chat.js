// SPDX-License-Identifier: Apache-2.0
//
// A chat with the official Socket.IO client from npm. The client reconnects by itself. If the server recovers its session,
// `socket.recovered` is true, and the missed messages arrive as usual.

import { io } from "./socket.io.js";

const ROOMS = ["room/lobby", "room/kitchen", "room/garden"];

const $ = (id) => document.getElementById(id);
const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};
const short = (room) => room.replace("room/", "");

let socket;
let me = "";
let room = ROOMS[0];
let cut = 0; // when the connection was lost
let missed = 0; // messages received after the reconnection

// --- display ---

function append(line) {
  const list = $("messages");
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 60;
  list.append(line);
  if (atEnd) list.scrollTop = list.scrollHeight;
}

function note(text, colour = "") {
  append(make("li", { className: `note ${colour}`, textContent: text }));
}

function message({ name, text, time }) {
  const mine = name === me;
  const line = make("li", { className: mine ? "said mine" : "said" });
  if (!mine) line.append(make("b", { textContent: name }));
  line.append(make("time", { textContent: new Date(time).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" }) }), text);
  return line;
}

function state(word, text = word) {
  $("state").dataset.state = word;
  $("state").textContent = text;
  $("cut").disabled = word !== "connected";
}

function rooms() {
  $("rooms").replaceChildren(...ROOMS.map((each) => {
    const button = make("button", { type: "button", textContent: short(each) });
    if (each === room) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => enter(each));
    return make("li", {}, button);
  }));
}

function here(names) {
  const sorted = [...new Set(names)].sort((a, b) => a.localeCompare(b));
  $("count").textContent = sorted.length;
  $("here").replaceChildren(...sorted.map((name) => make("li", { className: name === me ? "me" : "", textContent: name })));
}

// --- actions ---

async function enter(next) {
  room = next;
  rooms();
  let history;
  try {
    history = await socket.emitWithAck("enter", room);
  } catch {
    return note("The connection was lost before you joined the room.", "warn");
  }
  if (history.error) return note(history.error.message, "warn");
  $("messages").replaceChildren(...history.map(message));
  note(history.length ? `You are in ${short(room)}.` : `You are in ${short(room)}. There are no messages yet.`);
  $("messages").scrollTop = $("messages").scrollHeight;
  look();
  $("text").focus();
}

async function look() {
  try {
    const answer = await socket.emitWithAck("sirocco:presence", room);
    if (answer.members) here(answer.members.map((member) => member.user));
  } catch {
    // the connection was lost; connected() repeats the request
  }
}

function connected() {
  $("door").hidden = true;
  $("chat").hidden = false;
  state("connected");
  if (socket.recovered) {
    setTimeout(() => { // missed messages follow
      const seconds = Math.round((Date.now() - cut) / 1000);
      note(`Reconnected after ${seconds} s; the session was recovered, with ${missed} missed message${missed === 1 ? "" : "s"}.`, "good");
      cut = 0;
    }, 200);
    look();
  } else {
    if (cut) note("Reconnected, but the session was not recovered: this is the history of the room.", "warn");
    cut = 0;
    enter(room);
  }
}

function comeIn(event) {
  event.preventDefault();
  me = $("name").value.trim();
  $("refused").textContent = "";
  socket = io({ auth: { name: me }, reconnectionDelay: 2000, reconnectionDelayMax: 5000 });
  socket.on("connect", connected);
  socket.on("connect_error", (error) => {
    if (socket.active) return state("away", "no connection; reconnecting"); // else the server refused us
    $("refused").textContent = error.message;
    $("door").hidden = false;
    $("chat").hidden = true;
  });
  socket.on("disconnect", () => {
    cut = Date.now();
    missed = 0;
    state("away", "connection lost; reconnecting");
  });
  socket.on("said", (said) => {
    if (said.room !== room) return;
    if (cut) missed++;
    append(message(said));
  });
  socket.on("sirocco:presence", (change) => change.room === room && look());
  socket.on("sirocco:gap", () => enter(room)); // messages are missing: load the history
}

$("door").addEventListener("submit", comeIn);
$("say").addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = $("text").value;
  $("text").value = "";
  try {
    const answer = await socket.emitWithAck("say", text);
    if (answer?.error) note(answer.error.message, "warn");
  } catch {
    note(`The connection was lost before the server confirmed “${text}”.`, "warn");
  }
});
$("cut").addEventListener("click", () => socket.io.engine.close());
rooms();
$("come-in").disabled = false;
