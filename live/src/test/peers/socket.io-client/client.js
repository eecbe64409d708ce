// SPDX-License-Identifier: Apache-2.0
//
// The scenario in Node: node client.js PORT TRANSPORT
import { io } from 'socket.io-client';
import { scenario } from './scenario.js';

const [port, transport] = process.argv.slice(2);
await scenario(io, `http://127.0.0.1:${port}`, transport, (...facts) => console.log(facts.join(' ')));
process.exit(0);
