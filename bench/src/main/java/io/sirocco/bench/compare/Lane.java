// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.report.Race;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** One peer at one work: its rounds so far, or why there are none. Thread-confined. */
final class Lane {
    /** How long a run of ab takes, about, with what is around it. */
    private static final double AB_SECONDS = 0.25;

    private final Work work;
    private final Entry entry;
    private final Generator generator;
    private final double seconds;
    private final double warmUp;
    private final int rounds;
    private final List<Race.Round> measured = new ArrayList<>();
    private String absent;

    /**
     * @param seconds how long a round is
     * @param warmUp how long a server on the JVM is warmed up, in seconds
     * @param rounds how many there will be
     */
    Lane(Work work, Entry entry, Generator generator, double seconds, double warmUp, int rounds) {
        this.work = work;
        this.entry = entry;
        this.generator = generator;
        this.seconds = seconds;
        this.warmUp = warmUp;
        this.rounds = rounds;
        this.absent = entry.excused(work).orElse("");
    }

    String peer() {
        return entry.peer().name();
    }

    /** Whether it takes part, so far. */
    boolean runs() {
        return absent.isEmpty();
    }

    List<Race.Round> measured() {
        return measured;
    }

    /** Planned seconds that are ahead. */
    double ahead() {
        if (!runs()) {
            return 0;
        }
        double warmUp = measured.isEmpty() ? warmUps().stream().mapToDouble(d -> d).sum() : 0;
        return warmUp + (rounds - measured.size()) * roundSeconds();
    }

    /** Checks the answers, and has the server do the work until it is warm. */
    void warmUp(Progress progress, Ending ending) throws InterruptedException {
        try {
            check();
            for (double time : warmUps()) {
                Meter.round(generator, work, server(), duration(time));
                ending.orGoOn();
                progress.warm(peer(), time);
            }
        } catch (IOException e) {
            fail(e, progress, ending);
        }
    }

    private void check() throws IOException {
        if (!server().alive()) {
            throw new IOException(ended());
        }
        if (isAb() && !Programs.onPath("ab")) {
            throw new IOException(Ab.MISSING);
        }
        server().resume();
        Optional<String> wrong;
        try {
            wrong = Checks.of(work, server().address());
        } finally {
            server().pause();
        }
        if (wrong.isPresent()) {
            throw new IOException(wrong.get());
        }
    }

    /** Measures one round more. */
    void measure(Progress progress, Ending ending) throws InterruptedException {
        try {
            Race.Round round = Meter.round(generator, work, server(), duration(seconds));
            ending.orGoOn();
            measured.add(round);
            progress.round(measured.size(), rounds, peer(), round, roundSeconds());
        } catch (IOException e) {
            fail(e, progress, ending);
        }
    }

    /**
     * What failed once has no rounds at all: the better half of them would be half of the truth.
     */
    private void fail(IOException e, Progress progress, Ending ending) throws InterruptedException {
        ending.orGoOn(); // which may be why it failed
        double ahead = ahead();
        absent =
                server().alive()
                        ? Objects.requireNonNullElse(e.getMessage(), e.toString())
                        : ended();
        measured.clear();
        progress.absent(peer(), absent, ahead);
    }

    private String ended() {
        return "its server ended" + server().lastWords();
    }

    /** As it stands after so many rounds; a round that others have not done does not count. */
    Race.Standing standing(int whole) {
        int counted = Math.min(whole, measured.size());
        return new Race.Standing(peer(), absent, List.copyOf(measured.subList(0, counted)));
    }

    private List<Double> warmUps() {
        return isAb() ? List.of() : entry.warmUps(seconds, warmUp);
    }

    private double roundSeconds() {
        return isAb() ? AB_SECONDS : seconds;
    }

    private boolean isAb() {
        return work.shape().tool() == Work.Tool.AB;
    }

    private ServerProcess server() {
        return entry.server().orElseThrow();
    }

    private static Duration duration(double seconds) {
        return Duration.ofNanos((long) (seconds * 1e9));
    }
}
