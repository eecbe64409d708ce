// SPDX-License-Identifier: Apache-2.0
//
// Clients over long polling, which a balancer's cookie keeps at their node: node cluster.js URL HOW-MANY ROOMS
// Each writes down what it is told; Browsers.java asks for that by lines.
import { createInterface } from 'node:readline';
import { io } from 'socket.io-client';

const [url, many, rooms] = process.argv.slice(2);
const clients = [];

for (let i = 0; i < Number(many); i++) {
  const room = i % Number(rooms);
  const socket = io(url, { transports: ['polling'], withCredentials: true, forceNew: true });
  const client = { room, notes: [], last: -1, joined: false };
  const note = (kind, number = 0) => client.notes.push(`${kind} ${number} ${Date.now()}`);
  socket.on('connect', async () => {
    note(socket.recovered ? 'RECOVERED' : 'CONNECTED');
    if (!socket.recovered) {
      try {
        await socket.timeout(20_000).emitWithAck('join', `room ${room}`);
      } catch {
        socket.disconnect().connect(); // once more
        return;
      }
    }
    client.joined = true;
  });
  socket.on('m', (number) => {
    client.last = Math.max(client.last, number);
    note('SAID', number);
  });
  socket.on('sirocco:gap', () => note('GAP'));
  clients.push(client);
}

const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));
const until = async (wanted) => {
  for (const end = Date.now() + 60_000; !clients.every(wanted) && Date.now() < end; ) await pause(20);
};

await until((client) => client.joined);
console.log('joined');
for await (const line of createInterface({ input: process.stdin })) {
  const [what, ...numbers] = line.split(' ');
  if (what === 'first') {
    await until((client) => client.last >= 0);
    console.log('all have');
  } else {
    await until((client) => client.last >= Number(numbers[client.room]));
    for (const { room, notes } of clients) console.log([room, ...notes, 'end'].join('\n'));
  }
}
process.exit();
