// SPDX-License-Identifier: Apache-2.0

/**
 * WebSocket on bytes (RFC 6455, RFC 7692): {@link io.sirocco.http.ws.MessageReader} makes messages
 * of frames, {@link io.sirocco.http.ws.Frame} writes them, {@link io.sirocco.http.ws.Agreement} is
 * what two ends have agreed on about compression. For both ends of a connection. No sockets, no
 * clock; what is wrong with the input is a {@link io.sirocco.http.ws.Violation}, never an
 * exception.
 */
package io.sirocco.http.ws;
