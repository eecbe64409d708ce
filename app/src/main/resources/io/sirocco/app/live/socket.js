// SPDX-License-Identifier: Apache-2.0
//
// A minimal client for Engine.IO 4 and Socket.IO 5: one WebSocket, one namespace, no reconnection. Programs should use the
// official clients.
//
//   0{...}  the session is open       40{auth}      connect: 40{sid} admits, 44{message} refuses
//   2, 3    ping, pong                42["event", ...]   an event; 427[...] requests the response 437[...]
//   41      disconnect                45n-[...]     an event with n attachments, sent as binary frames

const ATTACHMENT = "_placeholder";

export class Socket {
  #socket;
  #asked = new Map();
  #last = 0;
  #isIn = false;
  #partial = null; // an event whose attachments have not all come
  #listener;

  // listener: { connected(id), refused(message), event(name, arguments), closed(reason) }
  constructor(path, auth, listener) {
    this.#listener = listener;
    const url = new URL(`${path}/?EIO=4&transport=websocket`, location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    this.#socket = new WebSocket(url);
    this.#socket.binaryType = "arraybuffer";
    this.#socket.onmessage = ({ data }) => (typeof data === "string" ? this.#text(data, auth) : this.#bytes(data));
    this.#socket.onclose = ({ code, reason }) => this.#end(reason || `the connection ended (${code})`);
  }

  emit(name, values) {
    this.#socket.send(`42${JSON.stringify([name, ...values])}`);
  }

  // Returns a promise of the arguments of the response.
  request(name, values) {
    const id = this.#last++;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#socket.send(`42${id}${JSON.stringify([name, ...values])}`);
    });
  }

  close() {
    if (this.#isIn && this.#socket.readyState === WebSocket.OPEN) this.#socket.send("41");
    this.#socket.close();
  }

  #text(packet, auth) {
    switch (packet[0]) {
      case "0": return this.#socket.send(`40${JSON.stringify(auth)}`);
      case "1": return this.#socket.close();
      case "2": return this.#socket.send("3");
      case "4": return this.#message(packet[1], packet.slice(2));
    }
  }

  #message(type, rest) {
    switch (type) {
      case "0":
        this.#isIn = true;
        return this.#listener.connected(JSON.parse(rest).sid);
      case "1": return this.#socket.close();
      case "4": return this.#listener.refused(JSON.parse(rest).message);
    }
    const [, attachments, id, data] = rest.match(/^(?:(\d+)-)?(\d+)?(\[.*)$/s);
    const event = { type, id: Number(id), values: JSON.parse(data), bytes: [], wanted: Number(attachments ?? 0) };
    if (event.wanted) this.#partial = event;
    else this.#take(event);
  }

  #bytes(buffer) {
    this.#partial?.bytes.push(buffer);
    if (this.#partial?.bytes.length === this.#partial?.wanted) {
      const event = this.#partial;
      this.#partial = null;
      this.#take(event);
    }
  }

  #take({ type, id, values, bytes }) {
    const whole = bytes.length ? filled(values, bytes) : values;
    if (type === "2" || type === "5") return this.#listener.event(whole[0], whole.slice(1));
    this.#asked.get(id)?.resolve(whole);
    this.#asked.delete(id);
  }

  #end(reason) {
    for (const { reject } of this.#asked.values()) reject(new Error(reason));
    this.#asked.clear();
    this.#listener.closed(reason);
  }
}

// Returns the values with their attachments.
function filled(value, bytes) {
  if (Array.isArray(value)) return value.map((each) => filled(each, bytes));
  if (value === null || typeof value !== "object") return value;
  if (value[ATTACHMENT]) return bytes[value.num];
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each, bytes)]));
}
