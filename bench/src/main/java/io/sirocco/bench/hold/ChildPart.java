// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import io.sirocco.bench.hold.PartProcess.Word;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Connections that a {@link PartProcess} holds, a JVM like this one. Used by one thread. */
final class ChildPart implements Part {
    private static final long PATIENCE_SECONDS = 30;

    private final Process process;
    private final BufferedWriter in;
    private final BlockingQueue<Optional<String>> answers = new LinkedBlockingQueue<>();

    private ChildPart(Process process) {
        this.process = process;
        this.in = process.outputWriter();
        Thread.ofVirtual().start(this::read);
    }

    /** Starts it with the flags and the class path of this JVM. */
    static ChildPart start(Share share) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(PartProcess.class.getName());
        var child =
                new ChildPart(new ProcessBuilder(command).redirectError(Redirect.INHERIT).start());
        child.write(PartLine.of(share));
        return child;
    }

    private void read() {
        try (BufferedReader out = process.inputReader()) {
            for (String line; (line = out.readLine()) != null; ) {
                answers.add(Optional.of(line));
            }
        } catch (IOException e) {
            // the same as its end
        }
        answers.add(Optional.empty());
    }

    private void write(String line) throws IOException {
        try {
            in.write(line);
            in.newLine();
            in.flush();
        } catch (IOException e) {
            throw died(e);
        }
    }

    private String ask(Word word) throws IOException {
        write(word.name());
        return await();
    }

    /** Whatever interrupts this thread: a report that was asked for is not to be lost. */
    private String await() throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    Optional<String> answer = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
                    if (answer == null) {
                        throw new IOException(
                                "the process %d, which holds a share of the connections, has not responded for %d s"
                                        .formatted(pid(), PATIENCE_SECONDS));
                    }
                    return answer.orElseThrow(() -> died(null));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private IOException died(IOException cause) {
        return new IOException(
                "the process " + pid() + ", which held a share of the connections, has died",
                cause);
    }

    @Override
    public void begin() throws IOException {
        ask(Word.BEGIN);
    }

    @Override
    public Report report() throws IOException {
        return PartLine.read(ask(Word.REPORT), Report.class);
    }

    @Override
    public void rest() throws IOException {
        ask(Word.REST);
    }

    @Override
    public long liveHeap() throws IOException {
        return PartLine.read(ask(Word.HEAP), Long.class);
    }

    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    public void end() {
        try {
            in.close();
        } catch (IOException e) {
            // it has ended already
        }
    }

    @Override
    public void close() {
        end();
        try {
            if (process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
