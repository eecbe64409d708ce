// SPDX-License-Identifier: Apache-2.0
/**
 * WebSocket, for both ends of a connection (RFC 6455, RFC 7692).
 *
 * <p>In reading order, first the codec, which owns no socket and no clock: {@link
 * io.sirocco.http.websocket.Frame} writes frames, {@link io.sirocco.http.websocket.MessageReader}
 * makes messages of them and names what is wrong by a {@link io.sirocco.http.websocket.Violation},
 * {@link io.sirocco.http.websocket.Agreement} is the compression that both ends have agreed on.
 * Then the socket: {@link io.sirocco.http.websocket.WebSocketHandshake} accepts one on a server,
 * {@link io.sirocco.http.websocket.WebSocketClientHandshake} opens one to a server, {@link
 * io.sirocco.http.websocket.WebSocketConnection} is its end on the loop and {@link
 * io.sirocco.http.websocket.WebSocketSender} the part that any thread may use. {@link
 * io.sirocco.http.websocket.BlockingWebSocket} adapts a listener to a blocking handler on a virtual
 * thread.
 *
 * <p>Thread rule: a socket is loop-confined, except for what {@link io.sirocco.http.WebSocket}
 * offers to every thread.
 */
package io.sirocco.http.websocket;
