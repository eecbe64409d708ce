// SPDX-License-Identifier: Apache-2.0
//
// ws as a peer: node server.js PORT
//
// A WebSocket server has no events, no acknowledgements, no rooms. So that the same generator can drive it, the few
// packets of Socket.IO are read and made here by hand, from the text as it is: what a program does that wants no library
// on top of ws.
import { randomBytes } from "node:crypto"
import { WebSocketServer } from "ws"
import { admits, http, listen } from "./door.js"

const PING_MILLIS = 25_000
const rooms = new Map() // name -> sockets

const server = new WebSocketServer({ server: http, path: "/socket.io/", maxPayload: 1e6 })

function connect(socket, auth) {
  let offered = {}
  try { offered = JSON.parse(auth) } catch { /* none, then */ }
  socket.admitted = admits(offered)
  if (socket.admitted) socket.send(`40{"sid":"${randomBytes(15).toString("base64url")}"}`)
  else socket.send('44{"message":"unauthorized"}')
}

const handlers = {
  // The arguments go back as the text that they are.
  echo: (socket, id, array) => socket.send("43" + id + "[" + array.slice(array.indexOf(",") + 1)),
  join(socket, id, array) {
    const room = JSON.parse(array)[1]
    if (!rooms.has(room)) rooms.set(room, new Set())
    rooms.get(room).add(socket)
    socket.rooms.add(room)
    socket.send("43" + id + "[]")
  },
  leave(socket, id, array) {
    const room = JSON.parse(array)[1]
    rooms.get(room)?.delete(socket)
    socket.rooms.delete(room)
    socket.send("43" + id + "[]")
  },
  publish(socket, id, array) {
    const [, room, ...event] = JSON.parse(array)
    const message = Buffer.from("42" + JSON.stringify(event))
    for (const each of rooms.get(room) ?? []) {
      if (each !== socket) each.send(message, { binary: false })
    }
    if (id !== "") socket.send("43" + id + "[]")
  },
}

function message(socket, text) {
  if (text.startsWith("40")) return connect(socket, text.slice(2))
  if (!text.startsWith("42") || !socket.admitted) return
  const begin = text.indexOf("[")
  const name = text.slice(begin + 2, text.indexOf('"', begin + 2))
  handlers[name]?.(socket, text.slice(2, begin), text.slice(begin))
}

server.on("connection", socket => {
  socket.rooms = new Set()
  socket.send('0{"sid":"' + randomBytes(15).toString("base64url") +
    '","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}')
  socket.on("message", data => message(socket, data.toString()))
  socket.on("close", () => socket.rooms.forEach(room => rooms.get(room)?.delete(socket)))
})
setInterval(() => server.clients.forEach(socket => socket.send("2")), PING_MILLIS)

listen(process.argv[2])
