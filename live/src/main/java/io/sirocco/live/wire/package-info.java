// SPDX-License-Identifier: Apache-2.0
/**
 * The packets of Engine.IO 4 and Socket.IO 5, from text and back. Owns no sockets and no clock, and
 * does not look into JSON. Internal.
 */
package io.sirocco.live.wire;
