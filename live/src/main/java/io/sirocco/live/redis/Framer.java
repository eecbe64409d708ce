// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import io.sirocco.live.broker.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Makes commands of calls: messages that follow each other become one. Each such batch has a
 * number, the next one of this node, by which the server knows one that it has seen. Used by one
 * thread.
 */
final class Framer {
    private static final int MAX = 256; // the server does nothing else meanwhile

    private final Calls calls;
    private final Supplier<Position> read;
    private long batches;

    /**
     * For one connection.
     *
     * @param read the place that this node has read
     */
    Framer(Calls calls, Supplier<Position> read) {
        this.calls = calls;
        this.read = read;
    }

    /**
     * What is to be sent of frames that may have been sent before: those that are not done. A batch
     * that is overdue is not written any more; whether it was is asked instead.
     */
    List<Frame> open(List<Frame> frames) {
        return frames.stream().filter(frame -> !frame.isDone()).map(this::again).toList();
    }

    private Frame again(Frame frame) {
        return switch (frame) {
            case Frame.Batch batch when batch.isOverdue() -> inquiry(batch);
            case Frame.Inquiry inquiry -> inquiry(inquiry.batch());
            default -> frame;
        };
    }

    private Frame inquiry(Frame.Batch batch) {
        return new Frame.Inquiry(batch, calls.written(batch.number(), read.get()));
    }

    List<Frame> frame(List<Work> works) {
        List<Frame> frames = new ArrayList<>();
        List<Work.Post> posts = new ArrayList<>();
        for (Work work : works) {
            if (work.stage().isDone()) {
                continue; // too late
            }
            switch (work) {
                case Work.Post post -> {
                    posts.add(post);
                    if (posts.size() == MAX) {
                        flush(posts, frames);
                    }
                }
                case Work.Ask<?> ask -> {
                    flush(posts, frames);
                    frames.add(new Frame.Single(ask));
                }
            }
        }
        flush(posts, frames);
        return frames;
    }

    private void flush(List<Work.Post> posts, List<Frame> frames) {
        if (!posts.isEmpty()) {
            long number = ++batches;
            byte[][] arguments = calls.publish(number, posts);
            frames.add(new Frame.Batch(number, arguments, List.copyOf(posts)));
            posts.clear();
        }
    }
}
