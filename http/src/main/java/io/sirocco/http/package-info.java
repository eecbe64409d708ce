// SPDX-License-Identifier: Apache-2.0

/**
 * An embeddable HTTP server with server-sent events and WebSockets, and a WebSocket client. {@link
 * io.sirocco.http.Server} starts a server; a {@link io.sirocco.http.Handler} is a function from a
 * {@link io.sirocco.http.Request} to a {@link io.sirocco.http.Response}, and a {@link
 * io.sirocco.http.Filter} wraps handlers.
 *
 * <p>The documentation of a type ends with its thread rule. <i>Immutable</i> and <i>Any thread</i>
 * mean that all threads may use it at any time. <i>Loop-confined</i> means that only the event loop
 * that owns it may use it, or a virtual thread that this loop carries at the moment.
 */
package io.sirocco.http;
