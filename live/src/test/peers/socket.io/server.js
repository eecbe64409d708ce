// SPDX-License-Identifier: Apache-2.0
//
// The official Socket.IO server, for the tests of LiveClient. Its options come as JSON in the first argument. It
// prints one line of JSON for each thing that happens, and does what the lines of JSON on its input say.
import { createServer } from "node:http"
import { createInterface } from "node:readline"
import { Server } from "socket.io"

const { port = 0, password, options = {} } = JSON.parse(process.argv[2] ?? "{}")
const say = (what, more = {}) => console.log(JSON.stringify({ what, ...more }))
const http = createServer()
const io = new Server(http, options)
let busy = 0

io.engine.on("connection", connection => say("engine", { transport: connection.transport.name }))

io.use((socket, next) => {
  if (password !== undefined && socket.handshake.auth.password !== password) {
    say("refused")
    const error = new Error("wrong password")
    error.data = { code: "unauthorized" }
    return next(error)
  }
  if (busy > 0) {
    busy--
    return next(new Error("busy"))
  }
  next()
})

io.on("connection", socket => {
  say("connected", { id: socket.id, recovered: socket.recovered, auth: socket.handshake.auth })
  socket.join("room")
  socket.on("disconnect", reason => say("disconnected", { id: socket.id, reason }))
  socket.on("echo", (...args) => {
    const last = args.at(-1)
    if (typeof last === "function") last(...args.slice(0, -1))
    else socket.emit("echo", ...args)
  })
  socket.on("tell", text => say("told", { text }))
  socket.on("never", () => {})
  socket.on("refuse", ack => ack({ error: { code: "forbidden", message: "not you" } }))
  socket.on("late", (millis, ack) => setTimeout(() => ack("late"), millis))
  socket.on("count", (n, ack) => {
    for (let i = 0; i < n; i++) socket.emit("number", i)
    if (ack) ack(n)
  })
  socket.on("ask", async (event, ...args) => {
    try {
      const answer = await socket.timeout(5000).emitWithAck(event, ...args)
      say("answered", { answer: Buffer.isBuffer(answer) ? { bytes: answer.toString("hex") } : answer })
    } catch (error) {
      say("unanswered", { error: error.message })
    }
  })
  socket.on("kick", () => socket.disconnect())
  socket.on("kick-all", () => socket.disconnect(true))
  socket.on("cut", () => socket.conn.transport.socket._socket.destroy())
  socket.on("close-engine", () => socket.conn.close())
})

io.of("/admin").use((socket, next) => {
  if (socket.handshake.auth.role === "admin") return next()
  const error = new Error("not an admin")
  error.data = { code: "unauthorized" }
  next(error)
})
io.of("/admin").on("connection", socket => {
  say("admin", { id: socket.id })
  socket.on("echo", (...args) => args.pop()(...args))
  socket.emit("hello", "admin")
})

const commands = {
  emit: ({ event, args = [] }) => io.to("room").emit(event, ...args),
  volatile: ({ event, args = [] }) => io.to("room").volatile.emit(event, ...args),
  busy: ({ times }) => { busy = times },
  cut: () => io.sockets.sockets.forEach(socket => socket.conn.transport.socket._socket.destroy()),
  stop: () => io.close(() => process.exit(0)),
}
createInterface({ input: process.stdin })
  .on("line", line => {
    const command = JSON.parse(line)
    commands[command.do](command)
    say("done", { do: command.do })
  })
  .on("close", () => process.exit(0))

http.listen(port, "127.0.0.1", () => say("listening", { port: http.address().port }))
