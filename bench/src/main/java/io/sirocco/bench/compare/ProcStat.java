// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What Linux tells of a process in {@code /proc/PID/stat}: proc(5). Immutable.
 *
 * @param state {@code R}, {@code S}, {@code T} for stopped, {@code Z} for ended and not yet waited
 *     for
 * @param session the process that leads its session
 * @param ticks CPU time, user and system, of the process and of all children that it has waited
 *     for, in ticks of {@value #TICK_MICROS} microseconds. Linux truncates user and system time on
 *     their own, so what a process has used is up to two ticks more
 */
record ProcStat(long pid, char state, long session, long ticks) {

    /** A tick of USER_HZ, which is 100 Hz wherever a JVM runs. */
    static final long TICK_MICROS = 10_000;

    /** All processes of a session; those that end meanwhile may be missing. */
    static List<ProcStat> ofSession(long session) {
        var found = new ArrayList<ProcStat>();
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                read(process).filter(stat -> stat.session == session).ifPresent(found::add);
            }
        } catch (IOException | DirectoryIteratorException e) {
            throw new IllegalStateException("cannot list /proc: " + e.getMessage(), e);
        }
        return found;
    }

    private static Optional<ProcStat> read(Path process) {
        try {
            byte[] line = Files.readAllBytes(process.resolve("stat"));
            return Optional.of(parse(new String(line, StandardCharsets.ISO_8859_1)));
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    /** The name of the program stands in brackets and may hold brackets and blanks itself. */
    static ProcStat parse(String line) {
        String[] rest = line.substring(line.lastIndexOf(')') + 2).split(" ");
        long ticks = 0;
        for (int i = 11; i <= 14; i++) { // utime, stime, cutime, cstime
            ticks += Long.parseLong(rest[i]);
        }
        long pid = Long.parseLong(line.substring(0, line.indexOf(' ')));
        return new ProcStat(pid, rest[0].charAt(0), Long.parseLong(rest[3]), ticks);
    }
}
