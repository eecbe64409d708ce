// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/**
 * The TLS settings of a connection that begins now. Immutable.
 *
 * @param credentials the certificates, of which the client gets one
 * @param handshakeMillis how long the handshake may take, in milliseconds
 */
record TlsContext(TlsEngines engines, Credentials credentials, long handshakeMillis) {}
