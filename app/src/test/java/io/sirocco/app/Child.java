// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.condition.OS;

/** A JVM that runs the command line. Used by one thread. */
public final class Child implements AutoCloseable {
    private static final Pattern ADDRESS = Pattern.compile("https?://127\\.0\\.0\\.1:(\\d+) ");

    private static final List<String> FLAGS =
            List.of(
                    "--add-opens=java.base/java.lang=ALL-UNNAMED",
                    "--enable-native-access=ALL-UNNAMED");

    private final Process process;
    private String first;

    public Child(String... arguments) throws IOException {
        this(FLAGS, arguments);
    }

    public Child(List<String> options, String... arguments) throws IOException {
        // Tests that run in the background ignore SIGINT, those below nohup SIGHUP; it would
        // inherit that.
        this("--default-signal=INT,HUP", options, arguments);
    }

    /** Runs {@code main} instead. */
    Child(List<String> options, Class<?> main, String... arguments) throws IOException {
        this(List.of(), System.getProperty("java.class.path"), options, main, arguments);
    }

    /** Starts it as nohup does. */
    static Child belowNohup(String... arguments) throws IOException {
        return new Child("--ignore-signal=HUP", FLAGS, arguments);
    }

    /** Starts one that keeps its state, such as a self-signed certificate, in a folder. */
    static Child withState(Path folder, String... arguments) throws IOException {
        List<String> prefix = List.of("env", "-u", "STATE_DIRECTORY", "XDG_STATE_HOME=" + folder);
        return new Child(prefix, System.getProperty("java.class.path"), FLAGS, arguments);
    }

    /** Starts one that may have so many files open. */
    static Child withOpenFiles(int limit, String classPath, String... arguments)
            throws IOException {
        String[] shell = {"sh", "-c", "ulimit -n " + limit + " && exec \"$@\"", "sh"};
        return new Child(List.of(shell), classPath, FLAGS, arguments);
    }

    /**
     * Starts one in a network namespace of its own, which the commands of a shell prepare first: lo
     * is down there. Needs no root, but a kernel that lets users have namespaces.
     */
    public static Child inOwnNetwork(String prepare, String... arguments) throws IOException {
        String script = prepare + " && exec \"$@\"";
        List<String> prefix = List.of("unshare", "-rn", "sh", "-c", script, "sh");
        return new Child(prefix, System.getProperty("java.class.path"), FLAGS, arguments);
    }

    private Child(String signals, List<String> options, String... arguments) throws IOException {
        this(
                OS.LINUX.isCurrentOs() ? List.of("env", signals) : List.of(),
                System.getProperty("java.class.path"),
                options,
                arguments);
    }

    private Child(List<String> prefix, String classPath, List<String> options, String... arguments)
            throws IOException {
        this(prefix, classPath, options, Main.class, arguments);
    }

    private Child(
            List<String> prefix,
            String classPath,
            List<String> options,
            Class<?> main,
            String... arguments)
            throws IOException {
        var command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath));
        command.add(main.getName());
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command).start();
    }

    /** The first line of its output; empty when it ends without one. */
    public String line() throws IOException {
        if (first == null) {
            String line = process.inputReader().readLine();
            first = line == null ? "" : line;
        }
        return first;
    }

    /** The next line of its output; empty at its end. */
    public String nextLine() throws IOException {
        String line = process.inputReader().readLine();
        return line == null ? "" : line;
    }

    /** Runs a command in its network namespace. */
    public void inNetwork(String... command) throws Exception {
        String pid = Long.toString(process.pid());
        var all = new ArrayList<>(List.of("nsenter", "-t", pid, "-U", "-n"));
        all.add("--preserve-credentials");
        all.addAll(List.of(command));
        assertEquals(0, new ProcessBuilder(all).inheritIO().start().waitFor());
    }

    public int port() throws IOException {
        Matcher address = ADDRESS.matcher(line());
        assertTrue(address.find(), line());
        return Integer.parseInt(address.group(1));
    }

    /** All that it prints, up to its end. */
    public String out() throws IOException {
        return new String(process.getInputStream().readAllBytes());
    }

    /** The next line of what it says on standard error; empty at its end. */
    String errLine() throws IOException {
        String line = process.errorReader().readLine();
        return line == null ? "" : line;
    }

    public String err() throws IOException {
        return new String(process.getErrorStream().readAllBytes());
    }

    public void signal(String name) throws Exception {
        String pid = Long.toString(process.pid());
        assertEquals(0, new ProcessBuilder("kill", "-" + name, pid).start().waitFor());
    }

    public int exitCode() throws InterruptedException {
        assertTrue(process.waitFor(120, TimeUnit.SECONDS), "it does not end");
        return process.exitValue();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
