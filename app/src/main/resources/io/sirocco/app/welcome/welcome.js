// SPDX-License-Identifier: Apache-2.0
//
// The welcome page: sends requests and shows the responses. Untrusted strings are set as text, never as HTML.
"use strict";

const $ = (id) => document.getElementById(id);

function show(output, text, state, detail = "") {
  output.className = state;
  output.textContent = text;
  if (detail) output.append(Object.assign(document.createElement("small"), { textContent: detail }));
}

// Sends a request and shows the response, or a summary, with its status, type and time.
async function ask(output, path, options, say = (text) => text || "(empty)") {
  const began = performance.now();
  try {
    const answer = await fetch(path, options);
    const text = await answer.text();
    const took = (performance.now() - began).toFixed(1);
    const type = answer.headers.get("content-type") ?? "no type";
    show(output, answer.ok ? say(text) : text, answer.ok ? "ok" : "bad", `${answer.status} · ${type} · ${took} ms`);
  } catch {
    show(output, "No response. Is the server still running?", "bad");
  }
}

$("hello").addEventListener("submit", (event) => {
  event.preventDefault();
  ask($("hello-answer"), "/hello/" + encodeURIComponent($("name").value));
});

$("echo").addEventListener("submit", (event) => {
  event.preventDefault();
  const body = $("body").value;
  let type = "text/plain;charset=utf-8";
  try {
    JSON.parse(body);
    type = "application/json";
  } catch { /* then it is plain text */ }
  ask($("echo-answer"), "/echo", { method: "POST", headers: { "content-type": type }, body });
});

$("bytes").addEventListener("submit", (event) => {
  event.preventDefault();
  const path = "/bytes/" + encodeURIComponent($("length").value);
  ask($("bytes-answer"), path, {}, (text) => `${text.length.toLocaleString()} bytes received.`);
});

// --- /ticks: server-sent events ---

const ROWS = 4;
let source = null;
let ticks = 0;

function note(text, quiet = false) {
  const row = document.createElement("li");
  row.append(Object.assign(document.createElement("span"), { textContent: text }));
  if (quiet) row.className = "quiet";
  else row.append(Object.assign(document.createElement("time"), { textContent: new Date().toLocaleTimeString() }));
  const log = $("ticks-log");
  if (ticks <= 1 && !quiet) log.replaceChildren();
  log.prepend(row);
  while (log.children.length > ROWS) log.lastChild.remove();
}

function listen() {
  source = new EventSource("/ticks");
  source.onmessage = (event) => {
    $("ticks-count").textContent = (++ticks).toLocaleString();
    note(event.data);
  };
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) return note("The connection was lost; reconnecting.", true);
    stopListening();
    note("The server did not send an event stream.", true);
  };
}

function stopListening() {
  source?.close();
  source = null;
  label();
}

function label() {
  $("ticks-toggle").textContent = source ? "Stop" : "Start listening";
  $("ticks-toggle").setAttribute("aria-pressed", String(source !== null));
}

$("ticks-toggle").addEventListener("click", () => {
  if (source) return stopListening();
  listen();
  label();
});

// --- /upload: XMLHttpRequest, because fetch does not report upload progress ---

$("upload").addEventListener("submit", (event) => {
  event.preventDefault();
  const file = $("file").files[0];
  const output = $("upload-answer");
  const bar = $("upload-progress");
  const request = new XMLHttpRequest();
  const began = performance.now();
  const button = event.target.querySelector("button");
  button.disabled = true;
  bar.hidden = false;
  request.upload.onprogress = ({ loaded, total }) => {
    bar.value = total ? (100 * loaded) / total : 0;
    show(output, `${size(loaded)} of ${size(total)} sent`, "");
  };
  request.onload = () => {
    bar.value = 100;
    const seconds = (performance.now() - began) / 1000;
    const rate = `${request.status} · ${size(file.size)} in ${seconds.toFixed(2)} s · ${size(file.size / seconds)}/s`;
    show(output, request.responseText || "(empty)", request.status < 400 ? "ok" : "bad", rate);
  };
  request.onerror = () => show(output, "The upload failed.", "bad");
  request.onloadend = () => { button.disabled = false; };
  request.open("POST", "/upload");
  request.send(file);
});

function size(bytes) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let unit = 0;
  while (bytes >= 1000 && unit < units.length - 1) {
    bytes /= 1000;
    unit++;
  }
  return `${unit === 0 ? Math.round(bytes) : bytes.toFixed(1)} ${units[unit]}`;
}

// --- /stats, once a second while the page is visible ---

function duration(seconds) {
  const [days, hours, minutes] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  if (days) return `${days} d ${hours} h`;
  if (hours) return `${hours} h ${minutes} min`;
  if (minutes) return `${minutes} min ${Math.floor(seconds) % 60} s`;
  return `${Math.floor(seconds)} s`;
}

async function refresh() {
  if (document.hidden) return;
  try {
    const answer = await fetch("/stats", { cache: "no-store", signal: AbortSignal.timeout(3000) });
    if (!answer.ok) throw new Error(answer.statusText);
    const stats = await answer.json();
    for (const key of ["connections", "requests", "loops"]) $(key).textContent = stats[key].toLocaleString();
    $("transport").textContent = stats.transport;
    $("uptime").textContent = duration(stats.uptime);
    pulse("up", "live");
  } catch {
    pulse("down", "no response");
  }
}

function pulse(state, text) {
  const light = $("pulse");
  light.className = "pulse " + state;
  if (light.textContent !== text) light.textContent = text;
}

$("curl").textContent = `curl ${location.origin}/hello/world`;
setInterval(refresh, 1000);
refresh();
listen();
label();
