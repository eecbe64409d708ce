// SPDX-License-Identifier: Apache-2.0
/**
 * Messages, whatever version of HTTP carries them: their heads and the grammar of their headers
 * (RFC 9110, RFC 3986). Nothing here owns a socket, a clock or a thread.
 *
 * <p>In reading order: {@link io.sirocco.http.message.Octets} classifies bytes and {@link
 * io.sirocco.http.message.Grammar} strings; {@link io.sirocco.http.message.Fields} is a header
 * section over the bytes it was parsed from, {@link io.sirocco.http.message.RequestHead} adds the
 * method and the target, whose host is an {@link io.sirocco.http.message.Authority}; {@link
 * io.sirocco.http.message.Trailers} follow a body. The rest are values of single headers.
 *
 * <p>Thread rule: heads belong to the loop that parses them; everything else is stateless.
 */
package io.sirocco.http.message;
