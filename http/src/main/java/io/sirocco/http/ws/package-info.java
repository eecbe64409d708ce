// SPDX-License-Identifier: Apache-2.0

/**
 * The WebSocket protocol on bytes (RFC 6455, RFC 7692), for clients and servers: {@link
 * io.sirocco.http.ws.MessageReader} reads messages, {@link io.sirocco.http.ws.Frame} writes frames,
 * {@link io.sirocco.http.ws.Agreement} is the negotiated compression. No sockets, no clock; an
 * error in the input is a {@link io.sirocco.http.ws.Violation}, never an exception.
 */
package io.sirocco.http.ws;
