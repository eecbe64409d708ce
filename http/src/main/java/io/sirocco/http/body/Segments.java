// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.body;

import io.sirocco.http.BodySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A response body of segments, whose files are open. The first response that sends it releases the
 * files. A further response retains them again, which fails once another user has closed them. Any
 * thread.
 */
public final class Segments {
    private final List<BodySegment> all;
    private final AtomicBoolean taken = new AtomicBoolean();

    public Segments(List<BodySegment> all) {
        this.all = List.copyOf(all);
    }

    public long length() {
        return all.stream().mapToLong(BodySegment::length).sum();
    }

    /**
     * Returns the segments to a caller that sends or releases them.
     *
     * @throws IllegalStateException when this is not the first time, and a file is closed
     */
    public List<BodySegment> take() {
        if (taken.compareAndSet(false, true)) {
            return all;
        }
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i) instanceof BodySegment.Region region && !region.file().retain()) {
                release(all.subList(0, i));
                throw new IllegalStateException(
                        "The file of a response that is sent again is closed: keep it open, or"
                                + " create a response for each request.");
            }
        }
        return all;
    }

    /**
     * Releases the files that were retained for it, unless that was done: nothing of it is sent.
     */
    public void release() {
        if (taken.compareAndSet(false, true)) {
            release(all);
        }
    }

    private static void release(List<BodySegment> pieces) {
        for (BodySegment piece : pieces) {
            if (piece instanceof BodySegment.Region region) {
                region.file().release();
            }
        }
    }
}
