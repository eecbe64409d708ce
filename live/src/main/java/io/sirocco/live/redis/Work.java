// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import io.sirocco.live.broker.BrokerException;
import io.sirocco.live.broker.Position;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import redis.clients.jedis.Protocol.Command;

/** Something that the server is asked for, on its way. */
sealed interface Work {
    /** Bytes, roughly. */
    long size();

    /** When it is given up, by {@link System#nanoTime}. */
    long deadline();

    CompletableFuture<?> stage();

    default void fail(String why, Throwable cause) {
        stage().completeExceptionally(new BrokerException(why, cause));
    }

    /**
     * A command that may be sent twice, when nobody knows whether it has arrived.
     *
     * @param read what the reply comes to
     */
    record Ask<T>(
            Command command,
            byte[][] arguments,
            Function<Object, T> read,
            long size,
            long deadline,
            CompletableFuture<T> stage)
            implements Work {

        void answer(Object reply) {
            try {
                stage.complete(read.apply(reply));
            } catch (RuntimeException e) {
                fail("The broker has answered what nobody understands.", e);
            }
        }
    }

    /**
     * A message: several make one command.
     *
     * @param arguments of the script, for this message
     */
    record Post(List<byte[]> arguments, long size, long deadline, CompletableFuture<Position> stage)
            implements Work {}
}
