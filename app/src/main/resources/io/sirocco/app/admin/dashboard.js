// SPDX-License-Identifier: Apache-2.0
//
// The dashboard: /events streams the metrics, first those of the last five minutes, then each second. Untrusted strings
// are set as text, never as HTML.

import { Chart } from "./chart.js";
import { bytes, duration, number, percent, plain, rate, span } from "./figures.js";

const KEPT = 300;
const MOST_LOOPS = 4; // drawn each by itself
const SILENCE = 4_000; // milliseconds without news, after which what is shown is called old

const $ = (id) => document.getElementById(id);

// --- charts ---

const latency = (name) => (sample) => (sample[name] < 0 ? null : sample[name]);
const outcome = (i) => (sample) => sample.outcomes[i];
const parent = $("charts");

const all = [
  new Chart(parent, {
    title: "Requests", unit: "per second, by status", format: rate, ceiling: 4, idle: true, series: [
      { name: "2xx", colour: "two", value: outcome(0) },
      { name: "3xx", colour: "three", value: outcome(1) },
      { name: "4xx", colour: "one", value: outcome(2) },
      { name: "5xx", colour: "bad", value: outcome(3) },
    ],
  }),
  new Chart(parent, {
    title: "Latency", unit: "from headers to end of response", format: duration, log: true, series: [
      { name: "p99", colour: "one", value: latency("p99") },
      { name: "p90", colour: "three", value: latency("p90") },
      { name: "p50", colour: "two", value: latency("p50") },
    ],
  }),
  new Chart(parent, {
    title: "Connections", format: rate, ceiling: 4, series: [
      { name: "open", colour: "two", value: (sample) => sample.connections },
      { name: "requests in progress", colour: "one", value: (sample) => sample.inProgress },
    ],
  }),
  new Chart(parent, {
    title: "Traffic", unit: "bytes per second", format: bytes, ceiling: 1024, bytes: true, series: [
      { name: "sent", colour: "two", value: (sample) => sample.bytesOut },
      { name: "received", colour: "one", value: (sample) => sample.bytesIn },
    ],
  }),
  new Chart(parent, {
    title: "Memory", format: bytes, ceiling: 1 << 20, bytes: true, series: [
      { name: "resident", colour: "two", value: (sample) => (sample.resident < 0 ? null : sample.resident) },
      { name: "heap", colour: "one", value: (sample) => sample.heap },
    ],
  }),
];
const loops = new Chart(parent, {
  title: "Loops", unit: "share of time busy", format: percent, ceiling: 1, fixed: true, series: [],
});
all.splice(3, 0, loops);
parent.insertBefore(parent.lastChild, parent.children[3]); // beside the connections

function seriesOfLoops(count) {
  if (count <= MOST_LOOPS) {
    return Array.from({ length: count }, (none, i) => ({
      name: `loop ${i}`, colour: ["two", "one", "three", "four"][i], value: (sample) => sample.busy[i] ?? null,
    }));
  }
  const of = (pick) => (sample) => (sample.busy.length ? pick(sample.busy) : null);
  return [
    { name: "busiest", colour: "one", value: of((busy) => Math.max(...busy)) },
    { name: "mean", colour: "two", value: of((busy) => busy.reduce((sum, one) => sum + one, 0) / busy.length) },
    { name: "least busy", colour: "three", value: of((busy) => Math.min(...busy)) },
  ];
}

// --- tables ---

function cell(text, className = "") {
  return Object.assign(document.createElement("td"), { textContent: text, className });
}

function head(text, note = "") {
  const th = Object.assign(document.createElement("th"), { scope: "row", textContent: text, title: text });
  if (note) th.append(" ", Object.assign(document.createElement("small"), { textContent: note }));
  return th;
}

function emptyRow(columns, text) {
  const row = document.createElement("tr");
  row.append(Object.assign(cell(text, "empty"), { colSpan: columns }));
  return row;
}

const some = (value, bad) => cell(value ? number(value) : "0", value ? bad : "none");

// Names of Metrics that are not routes.
const NOTES = { "(none)": "no route matched", "(refused)": "refused before routing", "(other)": "all other routes" };

function routeRow(route, most) {
  const requests = cell("");
  const share = Object.assign(document.createElement("span"), { className: "share" });
  const bar = document.createElement("i");
  bar.style.width = `${most ? (100 * route.requests) / most : 0}%`;
  share.append(bar);
  share.setAttribute("aria-hidden", "true");
  requests.append(share, Object.assign(document.createElement("span"), { className: "figure", textContent: number(route.requests) }));
  const row = document.createElement("tr");
  row.append(
    head(route.route, NOTES[route.route]), requests,
    cell(duration(route.p50), "wide"), cell(duration(route.p99)),
    some(route.clientErrors, "warn"), some(route.serverErrors, "bad"),
    cell(bytes(route.bytesOut), "wide"), cell(plain(route.total, 0), "wide"),
  );
  return row;
}

function refusalRow(refusal) {
  const row = document.createElement("tr");
  row.append(head(refusal.rule, refusal.source), some(refusal.recent, ""), cell(plain(refusal.total, 0)));
  return row;
}

// The pool in a line of its own: a name, and figures that wrap on a narrow screen.
function upstreamRow(upstream) {
  const figure = (value, text, bad) => {
    const span = document.createElement("span");
    span.append(Object.assign(document.createElement("b"), { textContent: value, className: bad }), ` ${text}`);
    return span;
  };
  const facts = Object.assign(document.createElement("td"), { colSpan: 8 });
  facts.append(
    Object.assign(document.createElement("b"), { textContent: upstream.name, className: "name" }),
    figure(number(upstream.requests), "requests/s", ""),
    figure(duration(upstream.p99), "p99", ""),
    figure(`${plain(upstream.open, 0)} open`, `(${plain(upstream.idle, 0)} idle)`, ""),
    figure(plain(upstream.waiting, 0), "waiting", upstream.waiting ? "warn" : ""),
    figure(plain(upstream.inProgress, 0), "in progress", ""),
    figure(number(upstream.retries), "retries/s", upstream.retries ? "warn" : ""),
    figure(number(upstream.refused), "refused/s", upstream.refused ? "bad" : ""),
  );
  const row = Object.assign(document.createElement("tr"), { className: "upstream" });
  row.append(facts);
  return row;
}

// On a narrow screen, where the header of the table is hidden, cells show their labels.
function labelled(td, label) {
  td.dataset.label = label;
  return td;
}

function serverRow(server) {
  const row = Object.assign(document.createElement("tr"), { className: "server" });
  const tunnels = server.tunnels ? ` (${plain(server.tunnels, 0)} tunnels)` : "";
  row.append(
    head(server.name), cell(server.state, server.state === "up" ? "good" : "bad"),
    labelled(cell(number(server.requests)), "requests/s"), cell(duration(server.p50), "wide"),
    labelled(cell(duration(server.p99)), "p99"), labelled(some(server.failures, "bad"), "errors/s"),
    cell(plain(server.inProgress, 0) + tunnels, "wide"),
    labelled(cell(`${plain(server.open, 0)} (${plain(server.idle, 0)} idle)`), "connections"),
  );
  return row;
}

function upstreamRows(upstream) {
  const more = upstream.size - upstream.servers.length;
  const rows = [upstreamRow(upstream), ...upstream.servers.map(serverRow)];
  if (!upstream.size) rows.push(emptyRow(8, "No servers."));
  if (more > 0) rows.push(emptyRow(8, `${plain(more, 0)} more servers; /metrics has all of them.`));
  return rows;
}

function cacheRow(cache) {
  const row = Object.assign(document.createElement("tr"), { className: "cache" });
  row.append(
    head(cache.name), labelled(cell(number(cache.requests)), "requests/s"),
    labelled(cell(cache.requests ? percent(cache.hits / cache.requests) : "–"), "hits"),
    labelled(cell(plain(cache.entries, 0)), "responses"),
    labelled(cell(bytes(cache.memory)), "memory"),
    labelled(cell(bytes(cache.disk), cache.failures ? "bad" : ""), "disk"),
    cell(number(cache.evicted), "wide"),
  );
  return row;
}

function tables(now) {
  $("caches-panel").hidden = !now.caches.length;
  $("caches").replaceChildren(...now.caches.map(cacheRow));
  $("upstreams-panel").hidden = !now.upstreams.length;
  $("upstreams").replaceChildren(...now.upstreams.flatMap(upstreamRows));
  const most = Math.max(0, ...now.routes.map((route) => route.requests));
  $("routes").replaceChildren(...(now.routes.length
    ? now.routes.map((route) => routeRow(route, most))
    : [emptyRow(8, "No requests yet.")]));
  $("refusals").replaceChildren(...(now.refusals.length
    ? now.refusals.map(refusalRow)
    : [emptyRow(3, "No refused requests.")]));
}

// --- current values ---

function tiles(sample) {
  const errors = sample.outcomes[3];
  $("requests").textContent = number(sample.requests);
  $("p99").textContent = duration(sample.p99);
  $("p50").textContent = duration(sample.p50);
  $("errors").textContent = sample.requests ? percent(errors / sample.requests) : "–";
  $("errors").classList.toggle("bad", errors > 0);
  $("errors-rate").textContent = errors ? `${number(errors)} per second` : "no errors";
  $("connections").textContent = number(sample.connections);
  $("in-progress").textContent = number(sample.inProgress);
  $("busy").textContent = sample.busy.length ? percent(Math.max(...sample.busy)) : "–";
  $("busy-of").textContent = `of its time; ${sample.busy.length} loop${sample.busy.length === 1 ? "" : "s"}`;
  $("resident").textContent = bytes(sample.resident < 0 ? sample.heap : sample.resident);
  $("heap").textContent = bytes(sample.heap);
}

function trouble(id, count) {
  $(id).textContent = plain(count, 0);
  $(id).classList.toggle("bad", count > 0);
}

function facts(now) {
  $("description").textContent = now.description;
  $("up").textContent = span(now.up);
  $("answered").textContent = plain(now.answered, 0);
  trouble("failed", now.failed);
  trouble("accept-failures", now.acceptFailures);
  trouble("memory-refused", now.memoryRefused);
  trouble("dropped", now.dropped);
  $("longest-turn").textContent = duration(now.longestTurn);
  $("version").textContent = `${now.version}, Java ${now.java}`;
  $("nav").hidden = $("channels").hidden = !now.channels;
  if (now.channels) channels(now.channels);
}

function channels(all) {
  $("live-clients").textContent = plain(all.clients, 0);
  $("live-rooms").textContent = plain(all.rooms, 0);
  $("live-requests").textContent = plain(all.requests, 0);
  $("live-queued").textContent = plain(all.queued, 0);
  trouble("live-dropped", all.dropped);
  trouble("live-gaps", all.gaps);
  const last = samples.at(-1)?.channels;
  $("live-in").textContent = last ? number(last.in) : "–";
  $("live-out").textContent = last ? number(last.out) : "–";
}

function state(word, notice = "") {
  const shown = $("state");
  if (shown.textContent !== word) shown.textContent = word; // said aloud when it changes
  shown.dataset.state = word;
  $("notice").textContent = notice;
  $("notice").hidden = !notice;
  document.body.classList.toggle("stale", word === "disconnected");
  document.title = word === "serving" ? "Sirocco" : `Sirocco: ${word}`;
}

// --- the stream ---

let samples = [];
let now = null;
let heard = 0;
let source = null;

function show() {
  state(now.state, now.state === "draining" ? "The server is draining: it finishes the requests in progress, and accepts no more." : "");
  facts(now);
  tables(now);
  if (!samples.length) return;
  const last = samples.at(-1);
  tiles(last);
  const series = seriesOfLoops(last.busy.length);
  if (series.length !== loops.series.length) loops.legendOf(series);
  for (const chart of all) chart.update(samples);
}

function hear(event, before) {
  const news = JSON.parse(event.data);
  samples = [...before, ...news.samples].slice(-KEPT);
  now = news.now;
  heard = performance.now();
  show();
}

function disconnected(notice) {
  state("disconnected", notice);
}

function listen() {
  source = new EventSource("events");
  source.addEventListener("history", (event) => hear(event, []));
  source.addEventListener("second", (event) => hear(event, samples));
  source.addEventListener("error", broken);
}

// The browser reconnects by itself, unless the response was not a stream.
async function broken() {
  disconnected("The server does not respond. Reconnecting; the figures are out of date.");
  if (source.readyState !== EventSource.CLOSED) return;
  let status = 0;
  try {
    status = (await fetch("./", { method: "HEAD" })).status;
  } catch { /* then it does not answer */ }
  if (status === 401) return disconnected("The token is no longer valid. Open this page with the new one: /?token=…");
  setTimeout(listen, 3_000);
}

// A lost network is silent.
setInterval(() => {
  if (source.readyState === EventSource.OPEN && heard && performance.now() - heard > SILENCE) {
    disconnected("No data for some seconds; the figures are out of date.");
  }
}, 1_000);

listen();
