// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Publication;
import io.sirocco.live.broker.Room;
import io.sirocco.live.log.Log;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import redis.clients.jedis.Protocol.Command;

/** What is sent to the server, from what is wanted of it. Any thread. */
final class Calls {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final byte[] ONE = bytes(1);

    private final Terms terms;
    private final byte[] node;

    Calls(Terms terms, String node) {
        this.terms = terms;
        this.node = bytes(node);
    }

    byte[] node() {
        return node;
    }

    byte[] key(String name) {
        return bytes(terms.prefix() + ":" + name);
    }

    byte[] key(String name, byte[] rest) {
        byte[] start = key(name + ":");
        byte[] key = new byte[start.length + rest.length];
        System.arraycopy(start, 0, key, 0, start.length);
        System.arraycopy(rest, 0, key, start.length, rest.length);
        return key;
    }

    /** The name of an epoch, or of a call, that nobody else has. */
    static byte[] unique() {
        byte[] bytes = new byte[10];
        RANDOM.nextBytes(bytes);
        return bytes(HexFormat.of().formatHex(bytes));
    }

    /** The arguments of EVALSHA. */
    byte[][] run(Script script, List<byte[]> arguments) {
        List<byte[]> all = new ArrayList<>(arguments.size() + 3);
        all.add(script.digest());
        all.add(ONE);
        all.add(key(""));
        all.addAll(arguments);
        return all.toArray(byte[][]::new);
    }

    <T> Work.Ask<T> script(Script script, Function<Object, T> read, List<byte[]> arguments) {
        return ask(Command.EVALSHA, read, run(script, arguments));
    }

    <T> Work.Ask<T> ask(Command command, Function<Object, T> read, byte[]... arguments) {
        long size = 200;
        for (byte[] argument : arguments) {
            size += argument.length;
        }
        return new Work.Ask<>(
                command, arguments, read, size, deadline(), new CompletableFuture<>());
    }

    /** A message, for {@link #publish}. */
    Work.Post post(Publication publication) {
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(Entry.said(publication));
        arguments.add(bytes(publication.histories().size()));
        for (Publication.Bounds bounds : publication.histories()) {
            arguments.add(Names.of(new Room(publication.namespace(), bounds.room())));
            arguments.add(bytes(bounds.messages()));
            arguments.add(bytes(bounds.millis()));
        }
        long size = Log.size(publication);
        return new Work.Post(
                arguments, size, deadline(), new CompletableFuture<>(), new CompletableFuture<>());
    }

    byte[][] publish(long batch, List<Work.Post> posts) {
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(unique());
        arguments.add(node);
        arguments.add(bytes(batch));
        arguments.addAll(depth());
        posts.forEach(post -> arguments.addAll(post.arguments()));
        return run(Script.PUBLISH, arguments);
    }

    /**
     * Asks whether a batch was written.
     *
     * @param read the place that this node has read
     */
    byte[][] written(long batch, Position read) {
        return run(
                Script.WRITTEN,
                List.of(unique(), node, bytes(batch), bytes(read.epoch()), bytes(read.offset())));
    }

    /** Messages, bytes and milliseconds. */
    List<byte[]> depth() {
        return List.of(
                bytes(terms.depth().messages()),
                bytes(terms.depth().bytes()),
                bytes(terms.depth().age().toMillis()));
    }

    static byte[] bytes(Object value) {
        return value.toString().getBytes(UTF_8);
    }

    private long deadline() {
        return System.nanoTime() + terms.deadline().toNanos();
    }
}
