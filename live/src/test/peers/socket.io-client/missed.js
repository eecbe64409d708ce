// SPDX-License-Identifier: Apache-2.0
//
// Misses much, and comes back: node missed.js PORT TRANSPORT MESSAGES
// Tells how many milliseconds behind the cut it was connected, and had all of it or was told of a gap.
import { io } from 'socket.io-client';

const [port, transport, messages] = process.argv.slice(2);
const socket = io(`http://127.0.0.1:${port}`, { transports: [transport], reconnectionDelay: 20, reconnectionDelayMax: 50 });
const once = (event) => new Promise((resolve) => socket.once(event, (...all) => resolve(all)));

await once('first');
let known = 0;
let inOrder = true;
let done;
const over = new Promise((resolve) => { done = resolve; });
socket.on('missed', (number) => {
  inOrder &&= number === known;
  known++;
  if (known === Number(messages)) done('all');
});
socket.on('sirocco:gap', () => done('gap'));
socket.emit('cut me');
await once('disconnect');
const errors = [];
socket.on('connect_error', (error) => errors.push(error.message));
await once('connect');
const began = performance.now();
const how = await over;
console.log(`${how} ${inOrder} ${socket.recovered} ${known}`);
console.log(Math.round(performance.now() - began));
process.exit(0);
