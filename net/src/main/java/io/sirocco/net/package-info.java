// SPDX-License-Identifier: Apache-2.0

/**
 * The event core: loops, connections, datagrams, timers, files and TLS. Start with {@link
 * io.sirocco.net.Loops}; write a {@link io.sirocco.net.Protocol} and give it to {@link
 * io.sirocco.net.Loops#listen} or {@link io.sirocco.net.Loop#connect}.
 *
 * <p>Rules of order:
 *
 * <ul>
 *   <li>A loop's thread, or a virtual thread that the loop carries, calls everything that is
 *       loop-confined. Other threads use {@link io.sirocco.net.Loop#execute}.
 *   <li>Code of a loop takes no locks and does not block. A connection calls its protocol; a
 *       protocol never runs within a method that it has called itself, except {@link
 *       io.sirocco.net.Protocol#memoryShort}.
 *   <li>Calls go from {@link io.sirocco.net.Loop} to its connections, from a connection to its TLS
 *       layer, and from there to the socket, which the transport implements. The transport reports
 *       completions to connections, between two calls of a protocol.
 *   <li>{@link io.sirocco.net.Protocol#closed} is the last call that a protocol receives. The
 *       memory of a connection is released after it.
 * </ul>
 *
 * <p>Internal packages: {@code transport} is the interface between a loop and the kernel, which
 * {@code uring} and {@code nio} implement; {@code linux} has the system calls, {@code output} the
 * bytes on their way out, {@code file} open files, and {@code tls} the keys, certificates and the
 * engine of the JDK. {@code limit} and {@code log} are for the modules of Sirocco.
 */
package io.sirocco.net;
