// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

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

    /** Whether the server remembers it: publish.lua. */
    default boolean isRemembered() {
        return true;
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
        public boolean isRemembered() {
            return false;
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
    record Batch(long number, byte[][] arguments, List<Work.Post> works) implements Frame {
        @Override
        public Command command() {
            return Command.EVALSHA;
        }

        /** Their deadlines may be over, and it is not known whether they are written. */
        @Override
        public boolean isDone() {
            return works.stream().allMatch(post -> post.written().isDone());
        }

        /** Whether nobody wants it to be written any more. */
        boolean isOverdue() {
            return works.stream().allMatch(post -> post.stage().isDone());
        }

        @Override
        public void answer(Object reply) {
            List<?> parts = (List<?>) reply;
            String epoch = Answers.text(parts.get(0));
            long millis = Long.parseLong(Answers.text(parts.get(1)));
            long number = Long.parseLong(Answers.text(parts.get(2)));
            for (Work.Post post : works) {
                post.written(new Offset(millis, number++).in(epoch));
            }
        }
    }

    /** The question whether a batch was written, that was not answered in time. */
    record Inquiry(Batch batch, byte[][] arguments) implements Frame {
        @Override
        public Command command() {
            return Command.EVALSHA;
        }

        @Override
        public List<Work.Post> works() {
            return batch.works;
        }

        @Override
        public boolean isDone() {
            return batch.isDone();
        }

        @Override
        public void answer(Object reply) {
            long answer = (Long) reply;
            for (Work.Post post : batch.works) {
                if (answer > 1) {
                    post.unknown();
                } else {
                    post.written().complete(answer == 1);
                }
            }
        }

        @Override
        public void refused(JedisDataException why) {
            batch.works.forEach(Work.Post::unknown);
        }
    }
}
