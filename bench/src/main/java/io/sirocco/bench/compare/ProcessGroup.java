// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A program with all that it starts: it leads a session of its own ({@code setsid}), so that
 * signals reach the whole tree and nothing else, processes that lost their parent are still
 * counted, and Ctrl-C on the terminal goes to the race alone. Any thread.
 */
final class ProcessGroup implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(3);

    private final Process leader;

    private ProcessGroup(Process leader) {
        this.leader = leader;
    }

    /**
     * Starts what {@code builder} says, with nothing on its standard input.
     *
     * @throws IOException when the program, or {@code setsid}, is not there
     */
    static ProcessGroup start(ProcessBuilder builder) throws IOException {
        var command = new ArrayList<>(List.of("setsid"));
        command.addAll(builder.command());
        builder.command(command).redirectInput(Redirect.from(new File("/dev/null")));
        return new ProcessGroup(builder.start());
    }

    long pid() {
        return leader.pid();
    }

    /** Whether the leader still runs. */
    boolean alive() {
        return leader.isAlive();
    }

    /** Waits for the leader to end. */
    boolean endsWithin(Duration limit) throws InterruptedException {
        return leader.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Exit status of the leader, which has ended. */
    int status() {
        return leader.exitValue();
    }

    /** The processes of the group that have not ended. */
    List<ProcStat> members() {
        return ProcStat.ofSession(pid()).stream().filter(stat -> stat.state() != 'Z').toList();
    }

    /**
     * CPU time that the group has used, in microseconds; see {@link ProcStat#ticks} for its grain.
     */
    long cpuMicros() {
        return ProcStat.ofSession(pid()).stream().mapToLong(ProcStat::ticks).sum()
                * ProcStat.TICK_MICROS;
    }

    /** Sends a signal to the whole group, by its name without SIG; whether there was one. */
    boolean signal(String name) {
        String[] kill = {"bash", "-c", "kill -s \"$1\" -- \"-$2\"", "kill", name, "" + pid()};
        try {
            return new ProcessBuilder(kill)
                            .redirectOutput(Redirect.DISCARD)
                            .redirectError(Redirect.DISCARD)
                            .start()
                            .onExit()
                            .orTimeout(5, TimeUnit.SECONDS)
                            .join()
                            .exitValue()
                    == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (CompletionException late) {
            return false;
        }
    }

    /** Asks the group to end, and wakes it when it is stopped; does not wait. */
    void terminate() {
        if (!signal("TERM")) {
            leader.destroy(); // it may not lead a group yet
        }
        signal("CONT");
    }

    /** Ends the group: SIGTERM, some seconds of grace, SIGKILL. Returns when it is gone. */
    @Override
    public void close() {
        if (isGone()) {
            return;
        }
        terminate();
        if (!goneWithin(GRACE)) {
            signal("KILL");
            leader.destroyForcibly();
            goneWithin(GRACE);
        }
    }

    private boolean isGone() {
        return !alive() && members().isEmpty();
    }

    /** Does not let itself be interrupted: what was started must end. */
    private boolean goneWithin(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        boolean interrupted = false;
        boolean gone = isGone();
        while (!gone && System.nanoTime() - end < 0) {
            interrupted |= Thread.interrupted();
            LockSupport.parkNanos(5_000_000);
            gone = isGone();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return gone;
    }
}
