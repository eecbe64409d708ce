// SPDX-License-Identifier: Apache-2.0
//
// Is sent many byte arrays, and comes back while it is cut off: node attachments.js PORT
// Tells each event with its number of byte arrays, each gap and each disconnect, up to the event "last".
import { io } from 'socket.io-client';

const [port] = process.argv.slice(2);
const socket = io(`http://127.0.0.1:${port}`, {
  transports: ['websocket'], reconnectionDelay: 1, reconnectionDelayMax: 5, randomizationFactor: 0,
  auth: (give) => give({}),
});
let cuts = 0;
socket.on('disconnect', (reason) => {
  if (cuts++ < 50) return; // it would go on for ever
  console.log(`${cuts} times: ${reason}`);
  process.exit(1);
});
socket.on('sirocco:gap', (gap) => {
  console.log(`gap ${JSON.stringify(gap)}`);
  socket.emit('back', socket.recovered);
});
socket.onAny((event, ...all) => {
  if (event !== 'sirocco:gap') console.log(`${event} ${all.filter((each) => Buffer.isBuffer(each)).length}`);
  if (event === 'refused') socket.emit('ready'); // or it may not have taken that when it is cut off
  if (event === 'last') {
    console.log(cuts < 10 ? 'few cuts' : `${cuts} cuts`);
    process.exit(0);
  }
});
socket.emit('begin');
