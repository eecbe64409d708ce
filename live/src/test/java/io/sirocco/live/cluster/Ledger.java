// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.cluster;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * What was published to each room, and was acknowledged: by that, journals are judged. A message
 * that failed may have arrived, once. Any thread.
 */
final class Ledger {
    private final List<BitSet> acknowledged = new ArrayList<>(); // with the lock held
    private int failed;

    Ledger(int rooms) {
        for (int i = 0; i < rooms; i++) {
            acknowledged.add(new BitSet());
        }
    }

    synchronized void acknowledged(int room, int number) {
        acknowledged.get(room).set(number);
    }

    synchronized void failed() {
        failed++;
        notifyAll();
    }

    /** How many of all rooms. */
    synchronized int acknowledged() {
        return acknowledged.stream().mapToInt(BitSet::cardinality).sum();
    }

    /** Of how many nobody knows. */
    synchronized int failures() {
        return failed;
    }

    synchronized void awaitFailure() throws InterruptedException {
        while (failed == 0) {
            wait(60_000);
        }
    }

    /** The newest that was acknowledged. */
    synchronized int last(int room) {
        return acknowledged.get(room).length() - 1;
    }

    /** What came of the acknowledged messages of one client. */
    static final class Verdict {
        final List<String> wrong = new ArrayList<>();
        int missing; // where a gap was told
        int gaps;
    }

    /** Reads a journal: none twice, in order, and what is missing is where a gap was told. */
    synchronized Verdict judge(Journal journal) {
        BitSet promised = acknowledged.get(journal.room());
        var verdict = new Verdict();
        var seen = new BitSet();
        int last = -1;
        boolean gap = false;
        boolean first = true;
        for (Journal.Note note : journal.notes()) {
            if (!note.is(Journal.Kind.SAID)) {
                boolean told = note.is(Journal.Kind.GAP) || note.is(Journal.Kind.CONNECTED);
                if (told && !first) {
                    gap = true;
                    verdict.gaps++;
                }
                first = false;
                continue;
            }
            int number = note.number();
            if (seen.get(number)) {
                verdict.wrong.add(number + " has come twice");
            }
            seen.set(number);
            if (!promised.get(number)) {
                continue;
            }
            if (number < last) {
                verdict.wrong.add(number + " has come behind " + last);
                continue;
            }
            missing(promised.get(last + 1, number).cardinality(), last, number, gap, verdict);
            last = number;
            gap = false;
        }
        int end = promised.length();
        missing(
                promised.get(last + 1, Math.max(last + 1, end)).cardinality(),
                last,
                end,
                gap,
                verdict);
        return verdict;
    }

    private static void missing(int many, int from, int to, boolean gap, Verdict verdict) {
        if (many > 0 && gap) {
            verdict.missing += many;
        } else if (many > 0) {
            verdict.wrong.add(many + " are missing between " + from + " and " + to);
        }
    }
}
