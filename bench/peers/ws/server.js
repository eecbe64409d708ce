// SPDX-License-Identifier: Apache-2.0
//
// ws as a peer: node server.js PORT
//
// A WebSocket server has no events, no acknowledgements, no rooms. So that the same generator can drive it, the few
// packets of Socket.IO are read and made here by hand, from the text as it is: what a program does that wants no library
// on top of ws.
import { randomBytes, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import { WebSocketServer } from "ws"

const PASSWORD = Buffer.from("secret")
const TICKET_MILLIS = 30_000
const PING_MILLIS = 25_000
const tickets = new Map() // those that were not used yet, and until when they are good
const rooms = new Map() // name -> sockets

function isPassword(text) {
  const offered = Buffer.from(String(text))
  return offered.length === PASSWORD.length && timingSafeEqual(offered, PASSWORD)
}

function json(response, status, value) {
  const body = JSON.stringify(value)
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) })
  response.end(body)
}

function giveTicket(request, response) {
  let body = ""
  request.setEncoding("utf8")
  request.on("data", text => { if (body.length < 4096) body += text })
  request.on("end", () => {
    let password
    try { password = JSON.parse(body).password } catch { /* none, then */ }
    if (!isPassword(password)) return json(response, 401, { error: { code: "unauthorized", message: "no" } })
    const ticket = randomBytes(16).toString("base64url")
    tickets.set(ticket, Date.now() + TICKET_MILLIS)
    json(response, 200, { ticket })
  })
}

function takeTicket(ticket) {
  const until = tickets.get(ticket)
  return tickets.delete(ticket) && Date.now() < until
}

const http = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
  if (request.method === "POST" && request.url === "/ticket") giveTicket(request, response)
  else json(response, 404, {})
})
const server = new WebSocketServer({ server: http, path: "/socket.io/", maxPayload: 1e6 })

function connect(socket, auth) {
  let offered = {}
  try { offered = JSON.parse(auth) } catch { /* none, then */ }
  socket.admitted = offered.ticket !== undefined ? takeTicket(offered.ticket) : isPassword(offered.password)
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

http.listen({ host: "127.0.0.1", port: Number(process.argv[2]), backlog: 4096 })
