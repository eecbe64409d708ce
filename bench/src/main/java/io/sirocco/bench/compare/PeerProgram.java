// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.report.Race;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The script {@code peer} of one peer: bench/peers/README.md says what it is asked, and what it
 * answers. What goes wrong here makes the peer absent, with a reason; it never makes it slow.
 *
 * @param folder where the script lies; the name of the folder is that of the peer
 * @param home where it is built
 * @param logs a folder for what it prints: {@code NAME-build.log}, and {@code NAME.log} for errors
 *     and for what the server says
 */
record PeerProgram(Path folder, Path home, Path logs) {
    private static final Duration TO_ANSWER = Duration.ofSeconds(30);
    private static final Duration TO_BUILD = Duration.ofMinutes(10);

    /** A peer before the race: it could be had, or not. */
    sealed interface Prepared {
        Race.Peer peer();

        /** It is there; {@code works} are those that it does. */
        record Ready(PeerProgram program, Race.Peer peer, Set<String> works) implements Prepared {}

        /** It is not; {@link Race.Peer#absent} says why. */
        record Absent(Race.Peer peer) implements Prepared {}
    }

    /** Something that went wrong, in words for the reader of the race. */
    private static final class Reason extends Exception {
        Reason(String words) {
            super(words, null, false, false);
        }
    }

    String name() {
        return folder.getFileName().toString();
    }

    Path log() {
        return logs.resolve(name() + ".log");
    }

    Path script() {
        return folder.resolve("peer");
    }

    /** Whether it says so; what goes wrong is left to {@link #prepare} to tell. */
    boolean doesOneOf(Set<String> works) throws InterruptedException {
        try {
            return !Files.isExecutable(script())
                    || Stream.of(ask("works").split("\\s+")).anyMatch(works::contains);
        } catch (Reason | IOException e) {
            return true;
        }
    }

    /** Asks, builds, asks again. May take minutes. */
    Prepared prepare() throws InterruptedException {
        String language = "";
        try {
            if (!Files.isExecutable(script())) {
                throw new Reason("there is no program " + script());
            }
            Files.deleteIfExists(log()); // last words count, but not those of an earlier race
            language = ask("language");
            String absent = absent();
            if (!absent.isEmpty()) {
                throw new Reason(absent);
            }
            Set<String> works = Set.of(ask("works").split("\\s+"));
            build();
            String version = ask("version", home.toString());
            String notes = ask("notes", home.toString());
            return new Prepared.Ready(
                    this, new Race.Peer(name(), language, version, notes, ""), works);
        } catch (Reason | IOException e) {
            return absent(language, e.getMessage());
        }
    }

    private Prepared absent(String language, String reason) {
        return new Prepared.Absent(new Race.Peer(name(), language, "", "", reason));
    }

    private String ask(String... question) throws Reason, IOException, InterruptedException {
        var answer = Subprocess.ask(call(question), log(), TO_ANSWER);
        return switch (answer.status()) {
            case 0 -> answer.output().strip();
            case Subprocess.LATE -> throw new Reason("'peer " + question[0] + "' does not answer");
            default -> throw new Reason("'peer " + question[0] + "' failed" + why(log()));
        };
    }

    /** Scripts may end with any status here: it is the words that count. */
    private String absent() throws Reason, IOException, InterruptedException {
        var answer = Subprocess.ask(call("absent"), log(), TO_ANSWER);
        String reason = LogTail.lastLine(answer.output());
        if (reason.isEmpty() && answer.status() != 0) {
            throw new Reason("'peer absent' failed" + why(log()));
        }
        return reason;
    }

    private void build() throws Reason, IOException, InterruptedException {
        Files.createDirectories(home);
        Path log = logs.resolve(name() + "-build.log");
        int status = Subprocess.work(call("build", home.toString()), log, TO_BUILD);
        if (status == Subprocess.LATE) {
            throw new Reason("its build was not done in " + TO_BUILD.toMinutes() + " minutes");
        }
        if (status != 0) {
            throw new Reason("its build failed" + why(log));
        }
    }

    private static String why(Path log) {
        String line = LogTail.lastLine(log);
        return line.isEmpty() ? ", and does not say why" : ": " + line;
    }

    /** A call of the script, with the JDK of this process as that of the peers. */
    ProcessBuilder call(String... arguments) {
        var command = new ArrayList<>(List.of(script().toString()));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return builder;
    }
}
