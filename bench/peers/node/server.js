// SPDX-License-Identifier: Apache-2.0
//
// node:http as a peer: node server.js PORT FILES
'use strict';

const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { pipeline } = require('node:stream');

const types = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
};

const [port, folder] = process.argv.slice(2);

function text(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'text/plain', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

function file(response, name) {
  const place = path.join(folder, path.basename(name));
  fs.stat(place, (error, status) => {
    if (error || !status.isFile()) return text(response, 404, 'There is no such file.');
    const type = types[path.extname(place)] ?? 'application/octet-stream';
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': status.size });
    // A client that goes away in the middle is no fault of ours.
    pipeline(fs.createReadStream(place), response, () => {});
  });
}

const server = http.createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
  const url = request.url;
  if (url === '/plaintext') text(response, 200, 'Hello, World!');
  else if (url === '/echo') text(response, 200, 'Hello from the echo');
  else if (url === '/three') text(response, 200, 'abc');
  else if (url.startsWith('/files/')) file(response, url.slice('/files/'.length));
  else text(response, 404, 'There is no such page.');
});

server.listen({ host: '127.0.0.1', port: Number(port), backlog: 4096 });
