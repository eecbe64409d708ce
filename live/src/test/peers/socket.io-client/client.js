// SPDX-License-Identifier: Apache-2.0
//
// What the official client does with us, one scenario after the other: node client.js PORT TRANSPORT
// The server is OfficialJavaScriptClientTest; each line that is printed is a fact that it compares.
import { io } from 'socket.io-client';

const [port, transport] = process.argv.slice(2);
const url = `http://127.0.0.1:${port}`;
const transports = transport === 'upgrade' ? ['polling', 'websocket'] : [transport];
const settings = { transports, reconnectionDelay: 20, reconnectionDelayMax: 50, forceNew: true };
const auth = { password: 'secret' };

const tell = (...facts) => console.log(facts.join(' '));
const once = (emitter, event) => new Promise((resolve) => emitter.once(event, (...all) => resolve(all)));
const connect = (more = {}, path = '/') => io(url + path, { ...settings, auth, ...more });

// refused, with a reason
const stranger = connect({ auth: { password: 'wrong' } });
const [error] = await once(stranger, 'connect_error');
tell('refused', error.message, JSON.stringify(error.data));
stranger.close();

// admitted; onConnect's event comes behind the connect
const socket = connect();
const motd = once(socket, 'motd');
await once(socket, 'connect');
tell('connected', socket.connected);
tell('motd', (await motd)[0]);

if (transport === 'upgrade') {
  while (socket.io.engine.transport.name !== 'websocket') await once(socket.io.engine, 'upgrade');
  tell('upgraded', socket.io.engine.transport.name);
}

// acknowledgements both ways
tell('whoami', (await socket.emitWithAck('whoami')) === socket.id);
tell('unknown', JSON.stringify(await socket.emitWithAck('what')));
socket.on('favourite', (what, answer) => answer(`${what}: blue`));
tell('asked', await socket.emitWithAck('ask me'));

// bytes, on their own and in the midst of an object
const bytes = await socket.emitWithAck('echo', Buffer.from([1, 2, 250]));
tell('bytes', Buffer.isBuffer(bytes), bytes.toString('hex'));
const nested = await socket.emitWithAck('echo', { name: 'é', data: [Buffer.from('a'), new Uint8Array([7]).buffer] });
tell('nested', nested.name, Buffer.from(nested.data[0]).toString(), Buffer.from(nested.data[1]).toString('hex'));
const long = 'x'.repeat(200_000);
tell('long', (await socket.emitWithAck('echo', long)) === long);

// order
const order = [];
socket.on('counted', (n) => order.push(n));
for (let n = 0; n < 1000; n++) socket.emit('count', n);
await socket.emitWithAck('whoami');
while (order.length < 1000) await once(socket, 'counted');
tell('in order', order.every((n, i) => n === i));

// rooms
const other = connect();
await once(other, 'connect');
await socket.emitWithAck('join', 'kitchen');
const smells = [once(socket, 'smell'), once(other, 'smell')];
await other.emitWithAck('join', 'kitchen');
other.emit('toast');
tell('room', (await smells[0])[0]);
const all = [once(socket, 'news'), once(other, 'news')];
socket.emit('broadcast', 'hello');
tell('broadcast', (await Promise.all(all)).map(([text]) => text).join());
other.close();

// a namespace over the same connection
const admin = socket.io.socket('/admin', { auth });
await once(admin, 'connect');
tell('admin', await admin.emitWithAck('whoami') === admin.id, admin.id !== socket.id);
admin.disconnect();

// a cut, and what was missed
socket.on('missed', () => {});
const last = once(socket, 'missed');
socket.emit('tell me', 0);
await last;
const id = socket.id;
const missed = [];
socket.on('missed', (n) => missed.push(n));
socket.emit('tell me later', 3);
socket.io.engine.close();
await once(socket, 'connect');
while (missed.length < 3) await once(socket, 'missed');
tell('recovered', socket.recovered, socket.id === id, missed.join());

// an end by the server
const reason = once(socket, 'disconnect');
socket.emit('kick me');
tell('kicked', (await reason)[0]);
process.exit(0);
