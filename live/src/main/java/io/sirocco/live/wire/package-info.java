// SPDX-License-Identifier: Apache-2.0
/**
 * The packets of Engine.IO 4 and Socket.IO 5, from text and back. Owns no sockets and no clock; the
 * server and the client of Java both read and write by it. Only {@link io.sirocco.live.wire.Json}
 * looks into JSON. Internal.
 */
package io.sirocco.live.wire;
