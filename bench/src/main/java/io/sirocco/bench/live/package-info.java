// SPDX-License-Identifier: Apache-2.0
/**
 * Puts clients of Socket.IO on a server: how fast they connect, how long an echo takes, when a
 * message has reached a thousand of them.
 *
 * <pre>
 *   LiveBench        the course of a run
 *    |- Doors        lets all in and out
 *    |   '- Entrance opens the sessions of one loop, so many at a time: Slot, TicketLane, Session
 *    '- Crowd        what those of one loop do when they are in: Echo (EchoCaller), Idle, or
 *                    Receivers (Receiver, Publisher), all of which are the Audience of a Fanout
 * </pre>
 *
 * It speaks Engine.IO 4 and Socket.IO 5 over WebSocket, as far as a load needs that: {@link
 * io.sirocco.bench.live.FrameReader}, {@link io.sirocco.bench.live.FrameWriter}, {@link
 * io.sirocco.bench.live.Session}.
 */
package io.sirocco.bench.live;
