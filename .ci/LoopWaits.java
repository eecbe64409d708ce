// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/**
 * Finds in flight recordings where the own code of an event loop has waited for a lock: until then
 * nothing is received or sent on that loop. Prints what .ci/loop-waits.expected does not list, and
 * exits with 1 if there is anything.
 *
 * <pre>
 *   mkdir /tmp/recordings
 *   ./sirocco test "-Dtest.jvm.options=-XX:StartFlightRecording=filename=/tmp/recordings,settings=$PWD/.ci/loop-waits.jfc"
 *   java .ci/LoopWaits.java /tmp/recordings
 * </pre>
 *
 * <p>{@code --all} prints everything, with how often and for how long at most.
 */
final class LoopWaits {
    private static final Predicate<String> LOOP = Pattern.compile(".*-loop-\\d+").asMatchPredicate();
    private static final List<String> JDK = List.of("java.", "javax.", "jdk.", "sun.", "com.sun.");
    private static final Path EXPECTED = Path.of(".ci/loop-waits.expected");

    /** All waits of one kind. */
    private static final class Waits {
        long count;
        Duration longest = Duration.ZERO;

        void add(RecordedEvent event) {
            count++;
            if (event.getDuration().compareTo(longest) > 0) {
                longest = event.getDuration();
            }
        }
    }

    private LoopWaits() {}

    public static void main(String[] arguments) throws IOException {
        boolean all = arguments[0].equals("--all");
        var found = new TreeMap<String, Waits>();
        long events = 0;
        List<Path> recordings;
        try (var files = Files.walk(Path.of(arguments[arguments.length - 1]))) {
            recordings = files.filter(file -> file.toString().endsWith(".jfr")).toList();
        }
        for (Path recording : recordings) {
            try (var file = new RecordingFile(recording)) {
                while (file.hasMoreEvents()) {
                    RecordedEvent event = file.readEvent();
                    events++;
                    if (isOfALoop(event)) {
                        found.computeIfAbsent(describe(event), key -> new Waits()).add(event);
                    }
                }
            } catch (IOException e) { // of a process that was killed
                System.err.println(recording + ": " + e.getMessage());
            }
        }
        List<Pattern> expected = expected();
        found.forEach(
                (what, waits) -> {
                    if (all) {
                        System.out.printf(
                                "%6d times, %d ms at most: %s%n",
                                waits.count, waits.longest.toMillis(), what);
                    }
                });
        List<String> others =
                found.keySet().stream()
                        .filter(what -> expected.stream().noneMatch(p -> p.matcher(what).find()))
                        .toList();
        if (!all) {
            others.forEach(System.out::println);
        }
        System.err.printf(
                "%d recordings, %d events, %d kinds of waits of loops, %d not expected%n",
                recordings.size(), events, found.size(), others.size());
        System.exit(others.isEmpty() && events > 0 ? 0 : 1);
    }

    /** Returns whether it is a wait of a loop; JDK 25 has no event for one that is unmounted. */
    private static boolean isOfALoop(RecordedEvent event) {
        if (event.getEventType().getName().equals("sirocco.LoopWaited")) {
            return true;
        }
        var thread = event.getThread();
        return thread != null
                && event.getEventType().getName().equals("jdk.VirtualThreadPinned")
                && thread.isVirtual()
                && thread.getJavaName() != null
                && LOOP.test(thread.getJavaName());
    }

    /** Returns the kind of wait, what was called in the JDK, and the innermost frames outside of it. */
    private static String describe(RecordedEvent event) {
        boolean waited = event.hasField("waiter");
        List<String> stack =
                waited
                        ? event.getString("waiter").lines().map(LoopWaits::method).toList()
                        : event.getStackTrace() == null
                                ? List.of()
                                : event.getStackTrace().getFrames().stream()
                                        .map(LoopWaits::method)
                                        .toList();
        List<String> program = stack.stream().filter(frame -> !isOfJdk(frame)).limit(4).toList();
        int depth = program.isEmpty() ? stack.size() : stack.indexOf(program.getFirst());
        String called = depth > 0 ? " in " + stack.get(depth - 1) : "";
        return (waited ? "waited" : "pinned") + called + " < " + String.join(" < ", program);
    }

    private static boolean isOfJdk(String frame) {
        return JDK.stream().anyMatch(frame::startsWith);
    }

    private static String method(RecordedFrame frame) {
        return plain(frame.getMethod().getType().getName() + "." + frame.getMethod().getName());
    }

    /** Of "java.base/java.util.Map.put(Map.java:1)". */
    private static String method(String element) {
        return plain(element.replaceAll("\\(.*", "").replaceAll("^.*/", ""));
    }

    /** Without what differs from run to run. */
    private static String plain(String method) {
        return method.replaceAll("\\$\\$Lambda[^.]*", "").replaceAll("\\$\\d+$", "");
    }

    /** Returns the patterns of the file: one a line, with its reason in a comment above. */
    private static List<Pattern> expected() throws IOException {
        return Files.readAllLines(EXPECTED).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(Pattern::compile)
                .toList();
    }
}
