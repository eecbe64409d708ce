// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import io.sirocco.live.broker.Audience;
import io.sirocco.live.broker.Broker;
import io.sirocco.live.broker.BrokerException;
import io.sirocco.live.broker.Limit;
import io.sirocco.live.broker.Member;
import io.sirocco.live.broker.Node;
import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Publication;
import io.sirocco.live.broker.Replay;
import io.sirocco.live.broker.Room;
import io.sirocco.live.broker.Session;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * The broker of a service with several nodes: a Redis of version 7 or newer, or a Valkey. All that
 * nodes are told stands in one stream, which each of them reads by itself; so all have the same
 * order, and whoever was away goes on where they were. {@code docs/live-broker.md} is for those who
 * run it.
 *
 * <p>A message is written once, also when the connection broke while it was on its way. What was
 * forgotten, by a node that is too far behind or by a server that came back with less than it had,
 * is a gap, never silence.
 *
 * <p>Needs Jedis ({@code redis.clients:jedis}) beside it. Any thread.
 */
public final class RedisBroker implements Broker {
    private static final LazyLogger LOG = LazyLogger.of(RedisBroker.class);

    private final Terms terms;
    private volatile Running running; // null until it is started
    private volatile boolean closed;

    private RedisBroker(Terms terms) {
        this.terms = terms;
    }

    /**
     * The server at a URL: {@code redis[s]://[[user]:password@]host[:port][/database]}.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static RedisBroker at(String url) {
        return at(url, settings -> {});
    }

    /**
     * The server at a URL, and more about it.
     *
     * @throws IllegalArgumentException when it is none, and for a setting that cannot be
     */
    public static RedisBroker at(String url, Consumer<RedisSettings> configure) {
        RedisSettings settings = RedisSettings.of(url);
        configure.accept(settings);
        return new RedisBroker(settings.terms());
    }

    @Override
    public synchronized void start(Node node) {
        if (closed || running != null) {
            throw new IllegalStateException("A broker is started once.");
        }
        Running starting = open(node);
        running = starting;
        starting.start();
    }

    /** Waits for a server that is away, with the lock given back so that this can be closed. */
    private Running open(Node node) {
        var backoff = new Backoff();
        long end = System.nanoTime() + terms.startTimeout().toNanos();
        for (int attempt = 0; ; attempt++) {
            var starting = new Running(terms, node);
            try {
                starting.open();
                return starting;
            } catch (BrokerException e) {
                if (!isAway(e.getCause()) || System.nanoTime() - end >= 0) {
                    throw e;
                }
                if (attempt == 0) {
                    LOG.get()
                            .log(
                                    Level.WARNING,
                                    "{0}; the start waits for it for up to {1}",
                                    e.getMessage(),
                                    terms.startTimeout());
                }
                pause(backoff.failed(), e);
            }
        }
    }

    /** Returns whether the server may be available later, such as one that is loading its data. */
    private static boolean isAway(Throwable cause) {
        return cause instanceof JedisConnectionException
                || cause != null && String.valueOf(cause.getMessage()).startsWith("LOADING");
    }

    private void pause(Duration time, BrokerException why) {
        try {
            wait(Math.max(1, time.toMillis())); // woken early it tries early
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw why;
        }
        if (closed) {
            throw new BrokerException("The broker was closed before it had started.", why);
        }
    }

    @Override
    public CompletionStage<Position> publish(Publication publication) {
        return with(r -> r.publish(publication));
    }

    @Override
    public Position newest() {
        Running now = running;
        return now == null ? Running.NOWHERE : now.newest();
    }

    @Override
    public CompletionStage<Replay> replay(
            Position after, Audience audience, int messages, long bytes) {
        return with(r -> r.replay(after, audience, messages, bytes));
    }

    @Override
    public CompletionStage<Replay> history(Room room, Optional<Position> after, int most) {
        return with(r -> r.history(room, after, most));
    }

    @Override
    public CompletionStage<Replay> page(
            Room room, Optional<Position> before, int most, long bytes) {
        return with(r -> r.page(room, before, most, bytes));
    }

    @Override
    public CompletionStage<Void> keep(Session session, Duration life) {
        return with(r -> r.keep(session, life));
    }

    @Override
    public CompletionStage<Boolean> change(Session.Change change, Duration life) {
        return with(r -> r.change(change, life));
    }

    @Override
    public CompletionStage<List<String>> renew(String namespace, List<String> pids, Duration life) {
        return with(r -> r.renew(namespace, pids, life));
    }

    @Override
    public CompletionStage<Optional<Session>> take(String namespace, String pid) {
        return with(r -> r.take(namespace, pid));
    }

    @Override
    public CompletionStage<Void> forget(String namespace, String pid) {
        return with(r -> r.forget(namespace, pid));
    }

    @Override
    public CompletionStage<Void> join(Room room, Member member) {
        return with(r -> r.roster().join(room, member));
    }

    @Override
    public CompletionStage<Void> leave(Room room, Member member) {
        return with(r -> r.roster().leave(room, member));
    }

    @Override
    public CompletionStage<List<Member>> members(Room room) {
        return with(r -> r.members(room));
    }

    @Override
    public CompletionStage<Boolean> spend(String ticket, Duration life) {
        return with(r -> r.spend(ticket, life));
    }

    @Override
    public CompletionStage<Boolean> count(String key, Limit limit) {
        return with(r -> r.count(key, limit));
    }

    /**
     * Delivers no more; the members of this node leave. What was not published by now fails. Waits
     * for some seconds at most.
     */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            notifyAll();
            if (running != null) {
                running.close();
            }
        }
    }

    private <T> CompletionStage<T> with(Function<Running, CompletionStage<T>> work) {
        Running now = running;
        if (now == null) {
            return CompletableFuture.failedStage(
                    new BrokerException("The broker has not been started."));
        }
        return work.apply(now);
    }
}
