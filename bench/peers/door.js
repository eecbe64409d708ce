// SPDX-License-Identifier: Apache-2.0
//
// Who may come in to the peers of event channels that are written in JavaScript: those with the password, or with a
// ticket that was given for it at POST /ticket. `peer build` puts this beside the server.js that imports it.
import { randomBytes, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"

const PASSWORD = Buffer.from("secret")
const TICKET_MILLIS = 30_000
const tickets = new Map() // those that were not used yet, and until when they are good

/** Whether what CONNECT brings admits its client; a ticket is used up by that. */
export function admits({ password, ticket }) {
  return ticket !== undefined ? takeTicket(ticket) : isPassword(password)
}

/** A server that gives tickets, to put the channels on. */
export const http = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
  if (request.method === "POST" && request.url === "/ticket") giveTicket(request, response)
  else json(response, 404, {})
})

/** Takes connections, when the channels are there. */
export function listen(port) {
  http.listen({ host: "127.0.0.1", port: Number(port), backlog: 4096 })
}

function isPassword(text) {
  const offered = Buffer.from(String(text))
  return offered.length === PASSWORD.length && timingSafeEqual(offered, PASSWORD)
}

function takeTicket(ticket) {
  const until = tickets.get(ticket)
  return tickets.delete(ticket) && Date.now() < until
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

function json(response, status, value) {
  const body = JSON.stringify(value)
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) })
  response.end(body)
}
