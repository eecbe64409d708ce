// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A number that one loop changes and any thread reads: no more than a plain write on its way. */
final class Count {
    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(Count.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long value;

    /** Loop-confined. */
    void add(long more) {
        VALUE.setOpaque(this, value + more);
    }

    /** Any thread; a moment old perhaps. */
    long get() {
        return (long) VALUE.getOpaque(this);
    }
}
