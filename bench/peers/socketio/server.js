// SPDX-License-Identifier: Apache-2.0
//
// Socket.IO as a peer: node server.js PORT
import { Server } from "socket.io"
import { admits, http, listen } from "./door.js"

const io = new Server(http, { serveClient: false })

io.use((socket, next) => {
  if (admits(socket.handshake.auth)) next()
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

listen(process.argv[2])
