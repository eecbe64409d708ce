// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import io.sirocco.live.broker.Position;
import java.util.List;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/** A command as it is sent, and sent again when the connection was lost. Immutable. */
sealed interface Frame {
    Command command();

    byte[][] arguments();

    List<? extends Work> works();

    void answer(Object reply);

    /** Whether nobody waits for it any more. */
    default boolean isDone() {
        return works().stream().allMatch(work -> work.stage().isDone());
    }

    default void refused(JedisDataException why) {
        String text = "The broker has refused: " + why.getMessage();
        works().forEach(work -> work.fail(text, why));
    }

    /** One call. */
    record Single(Work.Ask<?> ask) implements Frame {
        @Override
        public Command command() {
            return ask.command();
        }

        @Override
        public byte[][] arguments() {
            return ask.arguments();
        }

        @Override
        public List<Work> works() {
            return List.of(ask);
        }

        @Override
        public void answer(Object reply) {
            ask.answer(reply);
        }
    }

    /** Messages, whose numbers follow each other. */
    record Batch(byte[][] arguments, List<Work.Post> works) implements Frame {
        @Override
        public Command command() {
            return Command.EVALSHA;
        }

        @Override
        public void answer(Object reply) {
            List<?> parts = (List<?>) reply;
            String epoch = Answers.text(parts.get(0));
            long millis = Long.parseLong(Answers.text(parts.get(1)));
            long number = Long.parseLong(Answers.text(parts.get(2)));
            for (Work.Post post : works) {
                Position position = new Offset(millis, number++).in(epoch);
                post.stage().complete(position);
            }
        }
    }
}
