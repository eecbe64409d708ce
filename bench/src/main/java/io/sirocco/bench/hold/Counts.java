// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

/**
 * What has happened so far. Immutable.
 *
 * @param connected connections that were opened, again ones included
 * @param unopened attempts to connect that failed
 * @param resets connections lost because the server or the network reset them
 * @param closed connections lost because the server closed them
 * @param timeouts connections given up because an answer did not come in time
 * @param malformed connections given up because what came was no answer, or nobody had asked
 * @param wrongStatus answers whose status was not 2xx
 * @param wrongLength answers whose status was right and whose body had a wrong length
 * @param answers all that came whole, wrong ones included
 */
public record Counts(
        long connected,
        long unopened,
        long resets,
        long closed,
        long timeouts,
        long malformed,
        long wrongStatus,
        long wrongLength,
        long answers) {
    static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** Connections that were open and are not any more. */
    public long lost() {
        return resets + closed + timeouts + malformed;
    }

    /** Answers that were not what was asked for. */
    public long wrong() {
        return wrongStatus + wrongLength;
    }

    /** Whether nothing has failed. */
    public boolean clean() {
        return lost() + wrong() + unopened == 0;
    }

    Counts andWrongLength() {
        return plus(new Counts(0, 0, 0, 0, 0, 0, 0, 1, 0));
    }

    Counts plus(Counts other) {
        return new Counts(
                connected + other.connected,
                unopened + other.unopened,
                resets + other.resets,
                closed + other.closed,
                timeouts + other.timeouts,
                malformed + other.malformed,
                wrongStatus + other.wrongStatus,
                wrongLength + other.wrongLength,
                answers + other.answers);
    }
}
