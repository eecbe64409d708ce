// SPDX-License-Identifier: Apache-2.0
//
// What the official client does with us, in Node and in a browser. The server is Acquaintance; each thing that is told
// is a fact that it compares.
export async function scenario(io, url, transport, tell) {
  const transports = transport === 'upgrade' ? ['polling', 'websocket'] : [transport];
  const settings = { transports, reconnectionDelay: 20, reconnectionDelayMax: 50, forceNew: true };
  const auth = { password: 'secret' };
  const once = (emitter, event) => new Promise((resolve) => emitter.once(event, (...all) => resolve(all)));
  const connect = (more = {}, path = '/') => io(url + path, { ...settings, auth, ...more });
  const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

  // A connection that breaks while it is being upgraded is missed only after 45 s, by a client of version 4.8.
  const upgraded = async (socket) => {
    if (transport !== 'upgrade') return;
    while (socket.io.engine.transport.name !== 'websocket') await once(socket.io.engine, 'upgrade');
  };

  // refused, with a reason
  const stranger = connect({ auth: { password: 'wrong' } });
  const [error] = await once(stranger, 'connect_error');
  tell(`refused ${error.message}, ${error.data.code}`);
  stranger.close();

  // admitted; onConnect's event comes behind the connect
  const socket = connect();
  const motd = once(socket, 'motd');
  await once(socket, 'connect');
  tell('motd', (await motd)[0]);
  await upgraded(socket);

  // acknowledgements both ways, and bytes
  tell('whoami', (await socket.emitWithAck('whoami')) === socket.id);
  tell('unknown', (await socket.emitWithAck('what')).error.code);
  socket.on('colour', (what, answer) => answer('blue'));
  tell('asked', await socket.emitWithAck('ask me'));
  tell('bytes', hex(await socket.emitWithAck('echo', new Uint8Array([1, 2, 250]))));
  socket.on('mirror', (bytes, answer) => answer(new Uint8Array(bytes).reverse()));
  tell('asked for bytes', hex(await socket.emitWithAck('ask me for bytes', new Uint8Array([1, 2, 250]))));
  const nested = await socket.emitWithAck('echo', { name: 'é', data: [new Uint8Array([97]), new Uint8Array([7]).buffer] });
  tell('nested', nested.name, hex(nested.data[0]), hex(nested.data[1]));
  const long = 'x'.repeat(200_000);
  tell('long', (await socket.emitWithAck('echo', long)) === long);

  // order
  const order = [];
  socket.on('counted', (n) => order.push(n));
  for (let n = 0; n < 1000; n++) socket.emit('count', n);
  while (order.length < 1000) await once(socket, 'counted');
  tell('in order', order.every((n, i) => n === i));

  // rooms
  const other = connect();
  await once(other, 'connect');
  await socket.emitWithAck('join', 'kitchen');
  await other.emitWithAck('join', 'kitchen');
  const smells = [];
  other.on('smell', (smell) => smells.push(smell));
  const smell = once(socket, 'smell');
  await other.emitWithAck('toast', 'burnt toast');
  tell('room', (await smell)[0]);
  await socket.emitWithAck('cook', 'soup');
  while (smells.length < 1) await once(other, 'smell');
  await other.emitWithAck('leave', 'kitchen');
  await socket.emitWithAck('cook', 'fish');
  await other.emitWithAck('whoami');
  tell('left the room', smells);
  const all = [once(socket, 'news'), once(other, 'news')];
  socket.emit('broadcast', 'hello');
  tell('broadcast', ...(await Promise.all(all)).map(([text]) => text));
  other.close();

  // a namespace over the same connection
  const admin = socket.io.socket('/admin', { auth });
  await once(admin, 'connect');
  tell('admin', (await admin.emitWithAck('whoami')) === admin.id, admin.id !== socket.id);
  admin.disconnect();

  // a cut, and what was missed
  const first = once(socket, 'missed');
  socket.emit('tell me', 0);
  await first;
  const id = socket.id;
  const missed = [];
  socket.on('missed', (n) => missed.push(n));
  const gone = once(socket, 'disconnect');
  socket.emit('cut me');
  await gone;
  await once(socket, 'connect');
  while (missed.length < 3) await once(socket, 'missed');
  tell('recovered', socket.recovered && socket.id === id, ...missed);
  const again = once(socket, 'smell');
  socket.emit('cook', 'bread');
  tell('room again', (await again)[0]);

  // an end by the server
  const end = once(socket, 'disconnect');
  socket.emit('kick me');
  if ((await end)[0] === 'io server disconnect') tell('kicked');

  // a cut of one that does not recover
  const plain = connect({ auth: { ...auth, offsets: false } });
  await once(plain, 'connect');
  await upgraded(plain);
  const before = plain.id;
  const lost = once(plain, 'disconnect');
  plain.emit('cut me');
  await lost;
  await once(plain, 'connect');
  tell('reconnected', plain.id !== before, (await plain.emitWithAck('whoami')) === plain.id);
  plain.close();
}
