// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Bytes of other JVMs' heaps that are in use, garbage included. Asks for {@code GC.heap_info} over
 * the socket of the attach mechanism, which {@link LiveHeap} has opened: no process is started and
 * nothing is collected. Used by one thread.
 */
final class UsedHeap {
    private static final byte[] QUESTION =
            "1\0jcmd\0GC.heap_info\0\0\0".getBytes(StandardCharsets.US_ASCII);
    private static final Pattern USED =
            Pattern.compile("(?m)^ *(?!Metaspace|class space)\\S.*? used (\\d+)([BKMG])\\b");
    private static final Pattern INNER_PID = Pattern.compile("(?m)^NSpid:.*?(\\d+)$");
    private static final long PATIENCE_MILLIS = 100;

    private final List<Path> sockets;
    private CompletableFuture<Long> answer = CompletableFuture.completedFuture(0L);

    private UsedHeap(List<Path> sockets) {
        this.sockets = sockets;
    }

    /** Those of {@code processes} that are JVMs. */
    static UsedHeap of(Processes processes) {
        return new UsedHeap(
                processes.pids().stream().filter(LiveHeap::isJvm).map(UsedHeap::socket).toList());
    }

    private static Path socket(long pid) {
        Path process = Path.of("/proc", Long.toString(pid));
        String inner = Long.toString(pid);
        try {
            Matcher line = INNER_PID.matcher(ProcFile.read(process.resolve("status")).text());
            inner = line.find() ? line.group(1) : inner;
        } catch (IOException e) {
            // it has ended, which is noticed later
        }
        return process.resolve("root/tmp/.java_pid" + inner);
    }

    /** Empty when there is no JVM, or one does not respond soon, as when it is stopped. */
    OptionalLong now() {
        if (sockets.isEmpty()) {
            return OptionalLong.empty();
        }
        if (answer.isDone()) {
            answer = new CompletableFuture<>();
            CompletableFuture<Long> asked = answer;
            Thread.ofVirtual().start(() -> ask(asked));
        }
        try {
            return OptionalLong.of(answer.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS));
        } catch (ExecutionException | TimeoutException e) {
            return OptionalLong.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return OptionalLong.empty();
        }
    }

    private void ask(CompletableFuture<Long> asked) {
        try {
            long bytes = 0;
            for (Path socket : sockets) {
                bytes += used(ask(socket));
            }
            asked.complete(bytes);
        } catch (IOException | RuntimeException e) {
            asked.completeExceptionally(e);
        }
    }

    private static String ask(Path socket) throws IOException {
        if (!Files.exists(socket)) {
            throw new IOException("nothing can be attached to");
        }
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            var question = ByteBuffer.wrap(QUESTION);
            while (question.hasRemaining()) {
                channel.write(question);
            }
            return new String(
                    Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The sum over the generations in what a JVM says of its heap. */
    static long used(String info) throws IOException {
        Matcher used = USED.matcher(info);
        long bytes = -1;
        while (used.find()) {
            bytes = Math.max(0, bytes) + (Long.parseLong(used.group(1)) << shift(used.group(2)));
        }
        if (bytes < 0) {
            throw new IOException("there is no heap in: " + info);
        }
        return bytes;
    }

    private static int shift(String unit) {
        return "BKMG".indexOf(unit) * 10;
    }
}
