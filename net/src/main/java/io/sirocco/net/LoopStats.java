// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/**
 * What one loop has done, at one moment. Immutable.
 *
 * @param accepted connections accepted since the start
 * @param acceptFailures times that accepting failed for want of descriptors or memory
 * @param connected connections that we have opened since the start
 * @param connections connections open now, parked ones included
 * @param parked of these, accepted but waiting for a slot
 * @param bytesIn bytes received since the start
 * @param bytesOut bytes handed to the kernel since the start
 * @param turns turns of the loop since the start
 * @param busyNanos time spent working, not waiting
 * @param longestTurnNanos the longest single turn
 * @param writeMemory bytes of write buffers, lent or not
 * @param memoryUsed bytes that connections hold of the loop's {@link MemoryBudget}
 * @param memoryLimit the most that they may hold
 * @param memoryRefused times that memory was refused, or taken from a connection, since the start
 * @param connectionsRefused connections closed at once since the start, for there were too many
 * @param blockingTaskKinds kinds of task that have blocked this loop and were moved off the loops,
 *     since the start
 */
public record LoopStats(
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
