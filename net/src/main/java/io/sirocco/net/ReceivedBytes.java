// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.output.OutputChunk;
import io.sirocco.net.transport.ReceiveBuffer;
import java.lang.foreign.MemorySegment;

/**
 * Input that lies where the transport has received it, for a protocol that passes it on to another
 * connection: {@link Protocol#relay}. Valid during that call only. Loop-confined.
 */
public final class ReceivedBytes {
    /** From so many bytes on, it is cheaper to send them from where they are than to copy them. */
    private static final int RETAINED = 4 << 10;

    private MemorySegment memory;
    private long offset;
    private int length;
    private ReceiveBuffer buffer; // null where the transport needs the memory at once

    ReceivedBytes() {}

    ReceivedBytes of(MemorySegment memory, long offset, int length, ReceiveBuffer buffer) {
        this.memory = memory;
        this.offset = offset;
        this.length = length;
        this.buffer = buffer;
        return this;
    }

    /** Returns the number of bytes. */
    public int length() {
        return length;
    }

    /**
     * Writes the first {@code count} bytes to {@code target}, a connection of the same loop. Many
     * of them are sent from where they are, if buffers can be spared; otherwise they are copied.
     */
    public void writeTo(Connection target, int count) {
        MemorySegment bytes = memory.asSlice(offset, count);
        if (count >= RETAINED && buffer != null && buffer.retain()) {
            try {
                OutputSide.write(target, new OutputChunk(buffer, bytes));
            } catch (Throwable e) { // out of heap
                buffer.release();
                throw e;
            }
        } else {
            OutputSide.write(target, bytes);
        }
    }
}
