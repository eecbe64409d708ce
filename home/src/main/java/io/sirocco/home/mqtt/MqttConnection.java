// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import com.hivemq.client.mqtt.datatypes.MqttTopic;
import com.hivemq.client.mqtt.datatypes.MqttTopicFilter;
import com.hivemq.client.mqtt.mqtt3.message.publish.Mqtt3Publish;
import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The connection of a controller to its broker.
 *
 * <pre>
 *   off --connect--> attempt --accepted--> connected
 *    ^                ^   |                    |
 *    |              delay |failed          lost|
 *    |                |   v                    |
 *    +---disconnect-- waiting &lt;----------------+
 * </pre>
 *
 * <p>It belongs to the controller, not to the state of its scripts: subscriptions and messages that
 * wait survive the loss of the broker, and a reset of the scripts ends only the subscriptions of
 * their objects. One thread, "sirocco-home-mqtt", runs everything, the callbacks included. Any
 * thread.
 */
public final class MqttConnection implements Mqtt, AutoCloseable {
    private static final LazyLogger LOG = LazyLogger.of(MqttConnection.class);
    private static final int MAX_SUBSCRIPTIONS = 10_000;
    private static final int MAX_PAYLOAD = 4 << 20;
    private static final long STABLE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int CLOSE_MILLIS = 800;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final MqttThread executor;
    private final BiConsumer<Level, String> log;
    private final PublishQueue queue;
    private final ReconnectDelay delay;
    private volatile boolean enabled;
    private volatile boolean connected;
    private volatile String broker = ""; // set on the thread, as the next one
    private volatile String problem = "";

    // Confined to the thread.
    private final List<Filtered> subscriptions = new ArrayList<>();
    private final List<Consumer<Boolean>> listeners = new ArrayList<>();
    private Optional<MqttSettings> settings = Optional.empty();
    private Optional<BrokerSession> session = Optional.empty();
    private long attempt; // the number of the session, or of the wait for the next one
    private long connectedSince;

    /**
     * Creates a connection that is off; attempts follow each other after 1 s to 60 s.
     *
     * @param log receives, on any thread, the lines for the owner of the controller
     */
    public MqttConnection(BiConsumer<Level, String> log) {
        this(Duration.ofSeconds(1), Duration.ofSeconds(60), log);
    }

    MqttConnection(Duration firstDelay, Duration longestDelay, BiConsumer<Level, String> log) {
        this.log = log;
        queue = new PublishQueue(log);
        delay = new ReconnectDelay(firstDelay, longestDelay);
        executor = new MqttThread(log);
    }

    /**
     * Connects, and from then on reconnects until {@link #disconnect}. Does nothing if the settings
     * are those in use.
     */
    public void connect(MqttSettings wanted) {
        enabled = true;
        executor.execute(
                () -> {
                    if (!settings.equals(Optional.of(wanted))) {
                        settings = Optional.of(wanted);
                        broker = wanted.server();
                        delay.reset();
                        problem = "";
                        afterLeaving(this::attempt);
                    }
                });
    }

    /** Disconnects and drops the messages that wait; subscriptions stay for the next connect. */
    public void disconnect() {
        enabled = false;
        executor.execute(
                () -> {
                    settings = Optional.empty();
                    broker = "";
                    problem = "";
                    afterLeaving(queue::clear);
                });
    }

    private void afterLeaving(Runnable then) {
        CompletableFuture<?> left = leave();
        long number = attempt;
        executor.when(
                left,
                (done, error) -> {
                    if (number == attempt) {
                        then.run();
                    }
                });
    }

    private CompletableFuture<?> leave() {
        attempt++;
        CompletableFuture<?> left =
                session.<CompletableFuture<?>>map(BrokerSession::leave)
                        .orElse(CompletableFuture.completedFuture(null));
        session = Optional.empty();
        setConnected(false);
        return left;
    }

    private void attempt() {
        long number = ++attempt;
        MqttSettings wanted = settings.orElseThrow();
        try {
            var next = new BrokerSession(wanted, executor, queue);
            session = Optional.of(next);
            next.connect(
                    message -> MqttThread.guarded("a message", () -> received(message)),
                    () -> accepted(next),
                    cause -> ended(number, cause));
        } catch (IOException | RuntimeException e) {
            ended(number, e);
        }
    }

    private void accepted(BrokerSession accepted) {
        Set<String> filters = new LinkedHashSet<>();
        subscriptions.forEach(each -> filters.add(each.filter));
        executor.when(
                accepted.subscribe(filters, this::refused),
                (done, error) -> {
                    if (session.equals(Optional.of(accepted))) {
                        established(accepted);
                    }
                });
    }

    private void established(BrokerSession accepted) {
        log.accept(Level.INFO, "connected to the MQTT broker " + settings.orElseThrow().server());
        problem = "";
        connectedSince = System.nanoTime();
        accepted.begin();
        setConnected(true);
    }

    private void refused(Throwable error) {
        settings.ifPresent( // unless it has been switched off meanwhile
                each ->
                        log.accept(
                                Level.WARNING,
                                "the MQTT broker refuses a subscription: "
                                        + BrokerFailure.ofConnection(error, each)));
    }

    private void ended(long number, Throwable cause) {
        if (number != attempt) {
            session.ifPresent(BrokerSession::send); // what the old one has put back
            return;
        }
        if (connected && System.nanoTime() - connectedSince > STABLE_NANOS) {
            delay.reset();
        }
        MqttSettings broker = settings.orElseThrow();
        String failure =
                connected
                        ? BrokerFailure.ofConnection(cause, broker)
                        : BrokerFailure.ofAttempt(cause, broker);
        session = Optional.empty();
        setConnected(false);
        LOG.get().log(Level.DEBUG, "the session has ended", cause);
        logOnce(broker, failure);
        executor.schedule(
                () -> {
                    if (number == attempt) {
                        attempt();
                    }
                },
                delay.next(),
                TimeUnit.MILLISECONDS);
    }

    /** Logs a failure unless it equals the last one. */
    private void logOnce(MqttSettings broker, String failure) {
        if (failure.equals(problem)) {
            LOG.get().log(Level.DEBUG, "still no connection to the MQTT broker");
        } else {
            log.accept(
                    Level.WARNING,
                    "no connection to the MQTT broker " + broker.server() + ": " + failure);
        }
        problem = failure;
    }

    private void setConnected(boolean now) {
        if (connected != now) {
            connected = now;
            List.copyOf(listeners)
                    .forEach(each -> MqttThread.guarded("a listener", () -> each.accept(now)));
        }
    }

    private void received(Mqtt3Publish message) {
        ByteBuffer bytes = message.getPayload().orElse(NOTHING);
        if (bytes.remaining() > MAX_PAYLOAD) {
            log.accept(
                    Level.WARNING,
                    "a message to " + message.getTopic() + " is dropped: it exceeds 4 MiB");
            return;
        }
        String topic = message.getTopic().toString();
        String payload = StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
        for (Filtered each : List.copyOf(subscriptions)) {
            if (Topics.matches(each.parsed, message.getTopic())) {
                MqttThread.guarded(
                        "a callback for " + topic, () -> each.received.accept(topic, payload));
            }
        }
    }

    @Override
    public void publish(String topic, String payload, boolean retained) {
        send(topic, payload, retained);
    }

    /**
     * Publishes as {@link #publish} does; returns true when the broker has it, false if dropped.
     */
    CompletableFuture<Boolean> send(String topic, String payload, boolean retained) {
        MqttTopic.of(topic);
        var acknowledged = new CompletableFuture<Boolean>();
        byte[] bytes = payload.getBytes(StandardCharsets.UTF_8);
        if (!enabled || !queue.add(topic, bytes, retained, acknowledged)) {
            return CompletableFuture.completedFuture(false);
        }
        executor.execute(() -> session.ifPresent(BrokerSession::send));
        return acknowledged;
    }

    @Override
    public Subscription subscribe(String filter, BiConsumer<String, String> received) {
        var subscription = new Filtered(filter, MqttTopicFilter.of(filter), received);
        boolean accepted = executor.offer("", filter.length(), () -> add(subscription));
        return accepted ? () -> executor.execute(() -> cancel(subscription)) : () -> {};
    }

    /** Subscribes as {@link #subscribe} does, for an object of the project: all have room. */
    Subscription listen(String filter, BiConsumer<String, String> received) {
        var subscription = new Filtered(filter, MqttTopicFilter.of(filter), received);
        executor.execute(() -> add(subscription));
        return () -> executor.execute(() -> cancel(subscription));
    }

    private void add(Filtered subscription) {
        if (subscriptions.size() == MAX_SUBSCRIPTIONS) {
            log.accept(
                    Level.WARNING,
                    "no subscription to " + subscription.filter + ": there are 10,000");
            return;
        }
        subscriptions.add(subscription);
        session.ifPresent(each -> each.subscribe(List.of(subscription.filter), this::refused));
    }

    private void cancel(Filtered subscription) {
        if (subscriptions.remove(subscription)
                && subscriptions.stream()
                        .noneMatch(each -> each.filter.equals(subscription.filter))) {
            session.ifPresent(each -> each.unsubscribe(subscription.filter));
        }
    }

    /**
     * Calls {@code listener} with true and false when the connection is established and lost; at
     * once if it is established.
     */
    public Subscription onConnection(Consumer<Boolean> listener) {
        executor.execute(
                () -> {
                    listeners.add(listener);
                    if (connected) {
                        MqttThread.guarded("a listener", () -> listener.accept(true));
                    }
                });
        return () -> executor.execute(() -> listeners.remove(listener));
    }

    @Override
    public boolean connected() {
        return connected;
    }

    /** Returns the state of the connection. */
    public MqttStatus status() {
        return new MqttStatus(broker, connected, problem, queue.size());
    }

    /** Returns the MQTT thread. */
    MqttThread executor() {
        return executor;
    }

    /** Waits until the thread has run what waits for it now, or the time is up, or interrupted. */
    public void awaitTurn(long millis) {
        var turn = new CompletableFuture<Void>();
        executor.execute(() -> turn.complete(null));
        try {
            turn.get(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException e) {
            // it is busy: what comes next waits as well
        }
    }

    /** Runs a task now, and logs what it throws. */
    public static void guarded(String what, Runnable task) {
        MqttThread.guarded(what, task);
    }

    /** Returns how many messages the broker has not acknowledged. */
    int waiting() {
        return queue.size();
    }

    /**
     * Publishes {@code offline} and disconnects; returns within 1 s even if the broker does not
     * respond.
     */
    @Override
    public void close() {
        enabled = false;
        var left = new CompletableFuture<Void>();
        executor.execute(() -> leave().whenComplete((done, error) -> left.complete(null)));
        left.completeOnTimeout(null, CLOSE_MILLIS, TimeUnit.MILLISECONDS).join();
        executor.shutdownNow();
    }

    /** A subscription. Several may have the same filter. */
    private static final class Filtered {
        final String filter;
        final MqttTopicFilter parsed;
        final BiConsumer<String, String> received;

        Filtered(String filter, MqttTopicFilter parsed, BiConsumer<String, String> received) {
            this.filter = filter;
            this.parsed = parsed;
            this.received = received;
        }
    }
}
