// SPDX-License-Identifier: Apache-2.0
//
// Socket.IO as a peer: node server.js PORT
import { randomBytes, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import { Server } from "socket.io"

const PASSWORD = Buffer.from("secret")
const TICKET_MILLIS = 30_000
const tickets = new Map() // those that were not used yet, and until when they are good

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
const io = new Server(http, { serveClient: false })

io.use((socket, next) => {
  const { password, ticket } = socket.handshake.auth
  if (ticket !== undefined ? takeTicket(ticket) : isPassword(password)) next()
  else next(new Error("unauthorized"))
})

io.on("connection", socket => {
  socket.on("echo", (...all) => all.pop()(...all))
  socket.on("join", (room, done) => { socket.join(room); done() })
  socket.on("leave", (room, done) => { socket.leave(room); done() })
  socket.on("publish", (room, event, ...all) => {
    const done = typeof all.at(-1) === "function" ? all.pop() : undefined
    socket.to(room).emit(event, ...all)
    done?.()
  })
})

http.listen({ host: "127.0.0.1", port: Number(process.argv[2]), backlog: 4096 })
