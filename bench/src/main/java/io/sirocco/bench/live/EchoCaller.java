// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.bench.Failure;
import io.sirocco.bench.Pacer;
import java.util.Arrays;

/** Asks for echoes, some at a time; the number of a request is its place. Loop-confined. */
final class EchoCaller extends Pacer.Asker implements Part {
    private static final byte[] ERROR = "[{\"error\":{\"code\":".getBytes(ISO_8859_1);
    private static final long FREE = Long.MIN_VALUE + 1;

    private final Echo echo;
    private final Session session;
    private final long[] due; // when the request at each place was to be sent
    private final int[] free; // places, the first of them [0, freeCount)
    private int freeCount;

    EchoCaller(Echo echo, Session session) {
        this.echo = echo;
        this.session = session;
        this.due = new long[echo.rig.plan.window()];
        this.free = new int[due.length];
        Arrays.fill(due, FREE);
        Arrays.setAll(free, i -> i);
        freeCount = free.length;
    }

    @Override
    protected int room() {
        return session.ready() ? freeCount : 0;
    }

    @Override
    protected void ask(long dueAt, int count) {
        for (int i = 0; i < count; i++) {
            int place = free[--freeCount];
            due[place] = dueAt;
            session.begin().put('4').put('2').put(place).put(echo.event);
            session.send();
        }
        session.awaits();
    }

    @Override
    public void answered(Session session, long id, byte[] b, int from, int to, long now) {
        if (id < 0 || id >= due.length || due[(int) id] == FREE) {
            session.unexpected("an answer that nobody waits for");
            return;
        }
        int place = (int) id;
        long dueAt = due[place];
        due[place] = FREE;
        free[freeCount++] = place;
        if (freeCount == free.length) {
            session.awaitsNothing();
        } else {
            session.awaits();
        }
        if (Arrays.equals(b, from, to, echo.text, 0, echo.text.length)) {
            echo.answered(this, now, dueAt);
        } else if (Bytes.find(b, from, Math.min(from + ERROR.length, to), ERROR) == from) {
            String error = new String(b, from, Math.min(to - from, 200), ISO_8859_1);
            echo.answered(this, now, dueAt, Failure.REFUSED, "an echo was refused: " + error);
        } else {
            echo.answered(this, now, dueAt, Failure.WRONG, "an echo of something else");
        }
    }

    @Override
    public void ended(Session session, Failure why, String words) {
        freeCount = 0;
        int measured = 0;
        for (long each : due) {
            measured += each != FREE && echo.pacer.settle(each, 1) ? 1 : 0;
        }
        echo.lost(measured, why, words);
    }
}
