// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.heavy;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A JVM of its own that runs one of our main classes; asked and answering by lines. */
public final class Child implements AutoCloseable {
    private static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));
    private static final List<String> FLAGS =
            List.of(
                    "--add-opens=java.base/java.lang=ALL-UNNAMED",
                    "--enable-native-access=ALL-UNNAMED",
                    "-XX:+UseSerialGC");

    private final Process process;
    private final BufferedReader out;
    private final BufferedWriter in;

    private Child(Process process) {
        this.process = process;
        this.out = process.inputReader();
        this.in = process.outputWriter();
    }

    public static Child start(Class<?> main, List<String> flags, List<String> arguments)
            throws IOException {
        var command = new ArrayList<String>();
        command.add(JAVA_HOME.resolve("bin/java").toString());
        command.addAll(FLAGS);
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        return new Child(
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    public String line() throws IOException {
        String line = out.readLine();
        if (line == null) {
            throw new EOFException("the child has ended");
        }
        return line;
    }

    public int number() throws IOException {
        return Integer.parseInt(line());
    }

    public String ask(String command) throws IOException {
        in.write(command + "\n");
        in.flush();
        return line();
    }

    /** Sends a signal, such as {@code STOP}. */
    public void signal(String name) throws IOException {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What the JVM's own tool says of it. */
    public String jcmd(String... command) throws IOException {
        var all = new ArrayList<String>();
        all.add(JAVA_HOME.resolve("bin/jcmd").toString());
        all.add(Long.toString(process.pid()));
        all.addAll(List.of(command));
        Process tool = new ProcessBuilder(all).redirectErrorStream(true).start();
        try (BufferedReader text = tool.inputReader()) {
            return text.readAllAsString();
        }
    }

    /** Bytes of all that lives on its heap, after a collection. */
    public long liveHeap() throws IOException {
        String total =
                histogram()
                        .lines()
                        .filter(line -> line.startsWith("Total"))
                        .findFirst()
                        .orElseThrow();
        return Long.parseLong(total.strip().split(" +")[2]);
    }

    public String histogram() throws IOException {
        return jcmd("GC.class_histogram");
    }

    /** Resident bytes. */
    public long resident() throws IOException {
        String status = Files.readString(Path.of("/proc/" + process.pid() + "/status"));
        String line = status.lines().filter(l -> l.startsWith("VmRSS:")).findFirst().orElseThrow();
        return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
    }

    public long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
            return all.count();
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
