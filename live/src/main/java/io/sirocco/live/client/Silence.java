// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.net.Loop;
import io.sirocco.net.ScheduledTask;
import java.util.function.LongConsumer;

/** Notices that nothing has come from a server for too long. Loop-confined. */
final class Silence {
    private final Loop loop;
    private final LongConsumer tooLong;
    private ScheduledTask alarm; // null before it begins
    private long longest;
    private long heard;
    private boolean deaf;

    /**
     * Makes one that does not listen yet.
     *
     * @param tooLong told once how many milliseconds that were
     */
    Silence(Loop loop, LongConsumer tooLong) {
        this.loop = loop;
        this.tooLong = tooLong;
    }

    /** Something has to come at least so often, from now on. */
    void begin(long millis) {
        longest = millis;
        listen(millis);
    }

    private void listen(long millis) {
        alarm = loop.schedule(millis, this::look);
    }

    private void look() {
        if (deaf) {
            heard(); // what has come is not read
        }
        long since = loop.now() - heard;
        if (since >= longest) {
            tooLong.accept(longest);
        } else {
            listen(longest - since);
        }
    }

    /** Something has come. */
    void heard() {
        heard = loop.now();
    }

    /** Nothing is read for a time, or it is again. */
    void deaf(boolean deaf) {
        this.deaf = deaf;
        heard();
    }

    void end() {
        if (alarm != null) {
            alarm.cancel();
        }
    }
}
