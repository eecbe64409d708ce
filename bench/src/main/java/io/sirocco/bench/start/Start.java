// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.start;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * One start of a server: from the moment in which its process is asked for to the first byte of its
 * first answer with status 200, and what is resident when it has been idle for a while behind that.
 * Immutable.
 *
 * @param nanos until the first answer
 * @param resident bytes of the process, without its children; empty where there is no {@code /proc}
 */
public record Start(long nanos, OptionalLong resident) {
    /** Stands for the port in a command. */
    public static final String PORT = "{port}";

    /** Longer than this no server should take. */
    private static final Duration LONGEST = Duration.ofSeconds(30);

    /** Between two questions, which take of the same cores; a figure may be so much too large. */
    private static final long PAUSE_NANOS = 2_000_000;

    /**
     * Starts the server, waits, and stops it.
     *
     * @param command in it {@link #PORT} is replaced by a free port of 127.0.0.1
     * @param target of the request: {@code /hello/a}
     * @throws IOException when it does not start, ends early, or gives another answer
     */
    public static Start of(List<String> command, String target, Duration idle)
            throws IOException, InterruptedException {
        var address = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), freePort());
        String port = Integer.toString(address.getPort());
        var builder = new ProcessBuilder(command.stream().map(w -> w.replace(PORT, port)).toList());
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.redirectError(ProcessBuilder.Redirect.INHERIT);
        long began = System.nanoTime();
        Process server = builder.start();
        try {
            while (!answers(address, target)) {
                if (!server.isAlive()) {
                    throw new IOException("the server ended with " + server.exitValue());
                }
                if (System.nanoTime() - began > LONGEST.toNanos()) {
                    throw new IOException("no answer within " + LONGEST.toSeconds() + " s");
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            long nanos = System.nanoTime() - began;
            if (server.waitFor(idle.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("the server ended with " + server.exitValue());
            }
            return new Start(nanos, resident(server.pid()));
        } finally {
            server.destroy();
            if (!server.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
        }
    }

    private static boolean answers(InetSocketAddress address, String target) throws IOException {
        String status;
        try (var socket = new Socket()) {
            socket.connect(address, (int) LONGEST.toMillis());
            if (socket.getLocalPort() == address.getPort()) { // nobody listens: it met itself
                return false;
            }
            socket.setSoTimeout((int) LONGEST.toMillis());
            String request = "GET %s HTTP/1.1\r\nHost: %s:%d\r\nConnection: close\r\n\r\n";
            socket.getOutputStream()
                    .write(
                            request.formatted(target, "127.0.0.1", address.getPort())
                                    .getBytes(ISO_8859_1));
            status = new String(socket.getInputStream().readNBytes(12), ISO_8859_1);
        } catch (IOException notYet) {
            return false;
        }
        if (!status.endsWith(" 200")) {
            throw new IOException(target + " was answered with '" + status + "'");
        }
        return true;
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            return socket.getLocalPort();
        }
    }

    private static OptionalLong resident(long pid) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                    .findFirst();
        } catch (NoSuchFileException absent) {
            return OptionalLong.empty();
        }
    }
}
