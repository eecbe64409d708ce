// SPDX-License-Identifier: Apache-2.0
/**
 * HTTP/1.1 (RFC 9112): its framing, and nothing else.
 *
 * <p>In reading order, first the parsers, which own no socket, no clock and no buffers: {@link
 * io.sirocco.http.h1.Head} reads the head of a request, {@link io.sirocco.http.h1.Framing} decides
 * where its body ends, {@link io.sirocco.http.h1.Chunked} reads a body in chunks; {@link
 * io.sirocco.http.h1.ResponseReader} reads responses. What is wrong with the input is a {@link
 * io.sirocco.http.RequestError} or a {@link io.sirocco.http.h1.ResponseError}, never an exception,
 * and each reader decides at the first byte that decides, so the verdict does not depend on how the
 * network split the bytes. Then the server's connection: {@link io.sirocco.http.h1.Http1} carries
 * one {@link io.sirocco.http.exchange.Exchange} after the other, {@link
 * io.sirocco.http.h1.Http1Encoder} writes responses; {@link io.sirocco.http.h1.WebSocketOpening}
 * opens a WebSocket to a server.
 *
 * <p>Thread rule: everything is loop-confined.
 */
package io.sirocco.http.h1;
