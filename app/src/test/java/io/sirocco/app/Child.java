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
    private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+) ");

    private final Process process;
    private String first;

    public Child(String... arguments) throws IOException {
        this(
                List.of(
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--enable-native-access=ALL-UNNAMED"),
                arguments);
    }

    public Child(List<String> options, String... arguments) throws IOException {
        var command = new ArrayList<String>();
        if (OS.LINUX.isCurrentOs()) { // tests that run in the background ignore SIGINT, and so
            // would it
            command.addAll(List.of("env", "--default-signal=INT"));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(Main.class.getName());
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

    public int port() throws IOException {
        Matcher address = ADDRESS.matcher(line());
        assertTrue(address.find(), line());
        return Integer.parseInt(address.group(1));
    }

    /** All that it prints, up to its end. */
    public String out() throws IOException {
        return new String(process.getInputStream().readAllBytes());
    }

    public String err() throws IOException {
        return new String(process.getErrorStream().readAllBytes());
    }

    public void signal(String name) throws Exception {
        String pid = Long.toString(process.pid());
        assertEquals(0, new ProcessBuilder("kill", "-" + name, pid).start().waitFor());
    }

    public int exitCode() throws InterruptedException {
        assertTrue(process.waitFor(30, TimeUnit.SECONDS), "it does not end");
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
