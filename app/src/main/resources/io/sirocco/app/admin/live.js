// SPDX-License-Identifier: Apache-2.0
//
// The console of event channels: /live/events streams the metrics, as /events does for the dashboard, and the clients.
// Untrusted strings are set as text, never as HTML.

import { Chart } from "./chart.js";
import { bytes, number, plain, rate, span } from "./figures.js";

const KEPT = 300;
const SILENCE = 15_000; // milliseconds without news; a crowd takes its time to be listed

const $ = (id) => document.getElementById(id);
const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

// --- charts ---

const of = (name) => (sample) => sample.channels?.[name] ?? null;
const charts = [
  new Chart($("charts"), {
    title: "Messages", unit: "per second", format: rate, ceiling: 4, series: [
      { name: "sent", colour: "two", value: of("out") },
      { name: "received", colour: "one", value: of("in") },
    ],
  }),
  new Chart($("charts"), {
    title: "Clients", format: rate, ceiling: 4, series: [
      { name: "clients", colour: "two", value: of("clients") },
      { name: "rooms", colour: "three", value: of("rooms") },
    ],
  }),
  new Chart($("charts"), {
    title: "Traffic", unit: "bytes of messages per second", format: bytes, ceiling: 1024, bytes: true, series: [
      { name: "sent", colour: "two", value: of("bytesOut") },
      { name: "received", colour: "one", value: of("bytesIn") },
    ],
  }),
  new Chart($("charts"), {
    title: "Handlers", unit: "at the end of each second", format: rate, ceiling: 4, series: [
      { name: "messages in handlers", colour: "two", value: of("queued") },
      { name: "pending requests", colour: "one", value: of("requests") },
    ],
  }),
  new Chart($("charts"), {
    title: "Errors", unit: "per second", format: rate, ceiling: 4, idle: true, series: [
      { name: "refused", colour: "one", value: of("refused") },
      { name: "dropped", colour: "bad", value: of("dropped") },
      { name: "gap notices", colour: "four", value: of("gaps") },
    ],
  }),
  new Chart($("charts"), {
    title: "Connects and disconnects", unit: "per second", format: rate, ceiling: 4, series: [
      { name: "connected", colour: "two", value: of("connects") },
      { name: "disconnected", colour: "one", value: of("gone") },
    ],
  }),
];

// --- clients and rooms ---

function roomButton(name) {
  const button = make("button", { type: "button", className: "room", textContent: name, title: `Show the members of ${name}` });
  button.addEventListener("click", () => {
    $("search").value = name;
    $("room").value = name;
    searched();
  });
  return button;
}

function clientRow(client) {
  const row = make("tr");
  const said = [client.user, ...Object.entries(client.tags).map(([tag, value]) => `${tag}: ${value}`)].filter(Boolean).join(", ");
  const head = make("th", { scope: "row", textContent: client.id });
  if (said) head.append(make("small", { textContent: said }));
  const rooms = make("td", { className: "left rooms" }, ...client.rooms.map(roomButton));
  const more = client.roomCount - client.rooms.length;
  if (more) rooms.append(make("small", { textContent: `and ${plain(more, 0)} more` }));
  const close = make("button", { type: "button", className: "quiet", textContent: "Disconnect" });
  close.setAttribute("aria-label", `Disconnect ${client.id}`);
  close.addEventListener("click", () => post("live/close", { client: client.id }).catch(() => {}));
  row.append(
    head, rooms, make("td", { className: "left wide", textContent: client.address }),
    make("td", { className: client.connected ? "left wide" : "left wide away", textContent: client.connected ? client.transport : "away" }),
    make("td", {}, close),
  );
  return row;
}

function roomRow(room) {
  return make("tr", {}, make("th", { scope: "row" }, roomButton(room.name)), make("td", { textContent: plain(room.members, 0) }));
}

function rows(id, columns, all, text) {
  const body = $(id);
  const focused = document.activeElement;
  const at = body.contains(focused) ? [...body.querySelectorAll("button")].indexOf(focused) : -1;
  body.replaceChildren(...(all.length ? all : [make("tr", {}, make("td", { className: "empty", colSpan: columns, textContent: text }))]));
  if (at >= 0) body.querySelectorAll("button")[at]?.focus(); // a row that is drawn anew keeps the focus
}

function showClients(clientList) {
  const searches = $("search").value.trim() !== "";
  const some = clientList.clients.length < clientList.clientCount ? `${clientList.clients.length} of ` : "";
  $("clients-of").textContent = `${some}${plain(clientList.clientCount, 0)}${searches ? " found" : ""}`;
  $("rooms-of").textContent = clientList.rooms.length < clientList.roomCount
    ? `the largest ${clientList.rooms.length} of ${plain(clientList.roomCount, 0)}` : "largest first";
  rows("client-rows", 5, clientList.clients.map(clientRow), searches ? "No client matches." : "No clients.");
  rows("room-rows", 2, clientList.rooms.map(roomRow), searches ? "No room matches." : "No room has members.");
}

// --- current values ---

function tiles(sample, all) {
  const last = sample.channels;
  $("clients").textContent = number(all.clients);
  $("connects").textContent = number(last.connects);
  $("rooms").textContent = number(all.rooms);
  $("in").textContent = number(last.in);
  $("out").textContent = number(last.out);
  $("queued").textContent = number(all.queued);
  $("requests").textContent = number(all.requests);
  $("dropped").textContent = number(all.dropped);
  $("dropped").classList.toggle("bad", last.dropped > 0);
}

const REFUSED = {
  connects: "too many from one address", clients: "too many clients", origin: "page of another origin",
  unauthorized: "not authorized", unavailable: "broker failure", failed: "server failure",
  unknown_namespace: "unknown namespace",
};
const CLOSED = {
  LEFT: "by the client", LOST: "connection lost", KICKED: "by the server", SLOW: "too slow", LIMITED: "over a limit", STOPPED: "server stopped",
};

function facts(now) {
  $("description").textContent = now.description;
  const all = now.channels;
  const found = now.description.match(/ channels at \S+ on (https?:\/\/[^ ,]+) /);
  const lines = [
    ["Up for", span(now.up)],
    ["Connected", plain(all.connects, 0)],
    ["Recovered", plain(all.recovered, 0)],
    ...Object.entries(all.refused).filter(([, n]) => n).map(([why, n]) => [`Refused, ${REFUSED[why] ?? why}`, plain(n, 0), "bad"]),
    ...Object.entries(all.closes).filter(([, n]) => n).map(([why, n]) => [`Disconnected, ${CLOSED[why] ?? why}`, plain(n, 0)]),
    ["Messages received", plain(all.messagesIn, 0)],
    ["Messages sent", plain(all.messagesOut, 0)],
    ["Gap notices", plain(all.gaps, 0), all.gaps ? "bad" : ""],
  ];
  $("facts").replaceChildren(...lines.map(([name, value, colour = ""]) =>
    make("div", {}, make("dt", { textContent: name }), make("dd", { textContent: value, className: colour }))));
  if (found) {
    const link = make("a", { href: found[1], textContent: "open a client", target: "_blank", rel: "noopener" });
    $("facts").append(make("div", {}, make("dt", { textContent: "Try it out" }), make("dd", {}, link)));
  }
}

// --- actions of an operator ---

async function post(path, body) {
  const response = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const type = response.headers.get("Content-Type") ?? "";
  const answer = type.includes("json") ? await response.json() : { error: { message: await response.text() } };
  if (!response.ok) throw new Error(answer.error?.message ?? response.statusText);
  return answer;
}

function said(text, colour) {
  $("published").textContent = text;
  $("published").className = colour;
}

$("to").addEventListener("change", () => {
  const all = $("to").value === "all";
  $("room").required = !all;
  $("room").hidden = $("room-label").hidden = all;
  $("room-label").textContent = $("to").value === "client" ? "Client" : "Room";
});

$("publish").addEventListener("submit", async (event) => {
  event.preventDefault();
  let list;
  try {
    list = JSON.parse(`[${$("arguments").value}]`);
  } catch {
    said("The arguments are not valid JSON. Put strings in quotes.", "bad");
    return;
  }
  const to = $("to").value === "all" ? { all: true } : { [$("to").value]: $("room").value };
  try {
    const answer = await post("live/publish", { ...to, event: $("event").value, arguments: list });
    said(`Published at ${answer.position}.`, "good");
  } catch (error) {
    said(error.message, "bad");
  }
});

// --- the stream ---

let samples = [];
let heard = 0;
let source = null;
let typing = 0;

function state(word, notice = "") {
  const shown = $("state");
  if (shown.textContent !== word) shown.textContent = word; // said aloud when it changes
  shown.dataset.state = word;
  $("notice").textContent = notice;
  $("notice").hidden = !notice;
  document.body.classList.toggle("stale", word === "disconnected");
  document.title = word === "serving" ? "Sirocco: channels" : `Sirocco: ${word}`;
}

function hear(event, before) {
  const news = JSON.parse(event.data);
  samples = [...before, ...news.samples].slice(-KEPT);
  heard = performance.now();
  state(news.now.state, news.now.state === "draining" ? "The server is draining: it admits no more clients." : "");
  facts(news.now);
  showClients(news.clientList);
  if (!samples.length) return;
  tiles(samples.at(-1), news.now.channels);
  for (const chart of charts) chart.update(samples);
}

function listen() {
  source?.close();
  const search = $("search").value.trim();
  source = new EventSource(`live/events${search ? `?search=${encodeURIComponent(search)}` : ""}`);
  source.addEventListener("history", (event) => hear(event, []));
  source.addEventListener("second", (event) => hear(event, samples));
  source.addEventListener("error", broken);
}

function searched() {
  clearTimeout(typing);
  typing = setTimeout(listen, 150);
}

$("search").addEventListener("input", searched);

// The browser reconnects by itself, unless the response was not a stream.
async function broken(event) {
  if (event.target !== source) return;
  state("disconnected", "The server does not respond. Reconnecting; the figures are out of date.");
  if (source.readyState !== EventSource.CLOSED) return;
  let status = 0;
  try {
    status = (await fetch("live", { method: "HEAD" })).status;
  } catch { /* then it does not answer */ }
  if (status === 401) {
    state("disconnected", "The token is no longer valid. Open this page with the new one: /live?token=…");
    return;
  }
  setTimeout(listen, 3_000);
}

// A lost network is silent.
setInterval(() => {
  if (source.readyState === EventSource.OPEN && heard && performance.now() - heard > SILENCE) {
    state("disconnected", "No data for some seconds; the figures are out of date.");
  }
}, 1_000);

listen();
