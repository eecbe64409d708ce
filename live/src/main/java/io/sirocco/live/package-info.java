// SPDX-License-Identifier: Apache-2.0
/**
 * Event channels for the clients of Socket.IO: {@link io.sirocco.live.Live} is where to begin. The
 * arrow of a message:
 *
 * <pre>
 *   engine.Session ──▶ Link ──▶ Client ──▶ Inbox ──▶ Event ──▶ Listeners       what clients send
 *   Room ──▶ Broker ──▶ Hub ──▶ Shard ──▶ Client ──▶ Link ──▶ engine.Session   what they are sent
 * </pre>
 */
package io.sirocco.live;
