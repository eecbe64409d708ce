// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.body;

import io.sirocco.http.BodySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A body that is at hand, the files among it open: they are released with the first response.
 * Further ones retain them anew, which goes well for as long as somebody else has them open.
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
     * Hands them over to the caller, who sends or releases them.
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

    /** Nothing of it will be sent: releases what was retained for it, unless that was done. */
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
