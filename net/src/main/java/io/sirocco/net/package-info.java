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
 *   <li>The module's own code on a loop takes no locks, except those of the logger and of the JDK,
 *       and does not block. Callbacks may take locks: while one waits, virtual threads of the loop
 *       run, so the state of the loop is consistent at each call. A connection calls its protocol;
 *       a protocol never runs within a method that it has called itself, except {@link
 *       io.sirocco.net.Protocol#memoryShort}.
 *   <li>Calls go from {@link io.sirocco.net.Loop} to its connections, from a connection to its TLS
 *       layer, and from there to the socket, which the transport implements. The transport reports
 *       completions to connections, between two calls of a protocol.
 *   <li>{@link io.sirocco.net.Protocol#closed} is the last call that a protocol receives. The
 *       memory of a connection is released after it.
 * </ul>
 *
 * <p>Owners of memory:
 *
 * <ul>
 *   <li>The array that {@link io.sirocco.net.Protocol#received} gets is the loop's or the
 *       connection's, and is overwritten after the call. A protocol copies what it needs, or leaves
 *       it over.
 *   <li>A {@link io.sirocco.net.Chunk} belongs to the connection that has returned it: the caller
 *       appends at once and keeps no reference.
 *   <li>An array that is written as stable or shared must not change any more. A file that is
 *       written passes one retain to the connection, which releases it.
 *   <li>The kernel reads the first chunk of a connection while a send is in flight. Chunks return
 *       to the loop when the kernel has taken them, or when the connection is gone, and never
 *       earlier.
 * </ul>
 *
 * <p>Ends:
 *
 * <ul>
 *   <li>A loop that does not end its turn within {@link io.sirocco.net.Settings#maxTurnMillis} is
 *       dead at once: {@link io.sirocco.net.Loops#failure} completes. It ends as below when the
 *       turn does.
 *   <li>A connection closes in this order: it cancels its timer and drops its input; the transport
 *       cancels the operations in flight, closes the socket, and reports it as gone; the loop and
 *       the acceptor forget it, which frees its slot; its protocol is {@linkplain
 *       io.sirocco.net.Protocol#closed notified}; TLS and output are released.
 *   <li>A loop that stops fails the connections that it opens, closes all others with {@link
 *       io.sirocco.net.CloseCause#STOPPED}, and goes on until the last one is gone. Then it accepts
 *       no tasks, runs those that it has, closes its transport and releases its memory.
 *   <li>A loop that dies of an error does the same without the transport, which may be what has
 *       failed: it cancels what the kernel may still read, and reports every connection as gone.
 *       Each step runs whatever happens to the others, since there may be no heap left. Then {@link
 *       io.sirocco.net.Loops#failure} completes.
 * </ul>
 *
 * <p>Internal packages: {@code transport} is the interface between a loop and the kernel, which
 * {@code uring}, {@code epoll} and {@code nio} implement; {@code linux} has the system calls,
 * {@code output} the bytes on their way out, {@code file} open files, and {@code tls} the keys,
 * certificates and the engine of the JDK. {@code limit} and {@code log} are for the modules of
 * Sirocco.
 */
package io.sirocco.net;
