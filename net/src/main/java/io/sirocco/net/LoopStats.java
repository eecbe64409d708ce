// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/**
 * The counters of one loop at one moment. Immutable.
 *
 * @param transport the transport that the loop runs on
 * @param accepted connections accepted since the start
 * @param acceptFailures times that accepting failed for want of descriptors or memory, since the
 *     start
 * @param connected outgoing connections opened since the start
 * @param connections connections open now, parked ones included; one counts until its protocol has
 *     returned from {@link Protocol#closed}
 * @param parked of these, accepted and waiting for a slot
 * @param bytesIn bytes received since the start
 * @param bytesOut bytes handed to the kernel since the start
 * @param turns turns of the loop since the start
 * @param busyNanos nanoseconds spent working, not waiting, since the start
 * @param longestTurnNanos nanoseconds of the longest turn
 * @param writeMemory bytes of write buffers, in use or not
 * @param memoryUsed bytes that connections hold of the loop's {@link MemoryBudget}
 * @param memoryLimit the most that they may hold, in bytes
 * @param memoryRefused times that memory was refused to a connection, or taken from it, since the
 *     start
 * @param connectionsRefused connections closed at once since the start because there were too many
 * @param blockingTaskKinds kinds of task that have blocked this loop and were moved off the loops,
 *     since the start
 */
public record LoopStats(
        TransportKind transport,
        long accepted,
        long acceptFailures,
        long connected,
        int connections,
        int parked,
        long bytesIn,
        long bytesOut,
        long turns,
        long busyNanos,
        long longestTurnNanos,
        long writeMemory,
        long memoryUsed,
        long memoryLimit,
        long memoryRefused,
        long connectionsRefused,
        int blockingTaskKinds) {}
