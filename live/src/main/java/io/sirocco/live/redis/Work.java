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

    /** Fails it although it was sent: nobody knows yet whether it has arrived. */
    default void giveUp(String why) {
        fail(why, null);
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
     * @param written whether it is in the log; ends later than the stage when the server did not
     *     answer in time, and exceptionally when nobody can know
     */
    record Post(
            List<byte[]> arguments,
            long size,
            long deadline,
            CompletableFuture<Position> stage,
            CompletableFuture<Boolean> written)
            implements Work {

        @Override
        public void fail(String why, Throwable cause) {
            Work.super.fail(why, cause);
            written.complete(false);
        }

        @Override
        public void giveUp(String why) {
            stage.completeExceptionally(new BrokerException(why, written));
        }

        void written(Position position) {
            stage.complete(position);
            written.complete(true);
        }

        /** Nobody will ever know. */
        void unknown() {
            var lost = new BrokerException("Whether the message was published is not known.");
            stage.completeExceptionally(lost);
            written.completeExceptionally(lost);
        }
    }
}
