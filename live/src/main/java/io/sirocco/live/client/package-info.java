// SPDX-License-Identifier: Apache-2.0

/**
 * A client for servers that speak the wire protocol of Socket.IO: {@link
 * io.sirocco.live.client.LiveClient} is where to begin.
 */
package io.sirocco.live.client;
