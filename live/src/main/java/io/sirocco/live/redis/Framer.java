// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import java.util.ArrayList;
import java.util.List;

/**
 * Makes commands of calls: messages that follow each other become one. Each such batch has a
 * number, the next one of this node, by which the server knows one that it has seen. Used by one
 * thread.
 */
final class Framer {
    private static final int MOST = 256; // the server does nothing else meanwhile

    private final Calls calls;
    private long batches;

    Framer(Calls calls) {
        this.calls = calls;
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
                    if (posts.size() == MOST) {
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
            frames.add(new Frame.Batch(calls.publish(++batches, posts), List.copyOf(posts)));
            posts.clear();
        }
    }
}
