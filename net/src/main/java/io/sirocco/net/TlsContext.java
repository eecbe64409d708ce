// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/**
 * What holds for a connection that begins now. Immutable.
 *
 * @param credentials of which the client is given one
 * @param handshakeMillis how long its handshake may take
 */
record TlsContext(TlsEngines engines, Credentials credentials, long handshakeMillis) {}
