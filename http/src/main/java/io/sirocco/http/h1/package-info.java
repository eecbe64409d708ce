// SPDX-License-Identifier: Apache-2.0

/**
 * HTTP/1.1 on bytes: {@link io.sirocco.http.h1.Head} reads a request's head, {@link
 * io.sirocco.http.h1.Chunked} a body in chunks. No sockets, no clock, no pools; what is wrong with
 * the input is a {@link io.sirocco.http.RequestError}, never an exception.
 *
 * <p>Every reader decides at the first byte that decides, so the verdict does not depend on how the
 * network split the bytes.
 */
package io.sirocco.http.h1;
