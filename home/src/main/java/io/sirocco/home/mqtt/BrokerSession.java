// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import com.hivemq.client.mqtt.MqttClientExecutorConfig;
import com.hivemq.client.mqtt.MqttClientTransportConfig;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.exceptions.ConnectionClosedException;
import com.hivemq.client.mqtt.exceptions.ConnectionFailedException;
import com.hivemq.client.mqtt.exceptions.MqttClientStateException;
import com.hivemq.client.mqtt.exceptions.MqttSessionExpiredException;
import com.hivemq.client.mqtt.mqtt3.Mqtt3AsyncClient;
import com.hivemq.client.mqtt.mqtt3.Mqtt3Client;
import com.hivemq.client.mqtt.mqtt3.exceptions.Mqtt3DisconnectException;
import com.hivemq.client.mqtt.mqtt3.message.connect.Mqtt3Connect;
import com.hivemq.client.mqtt.mqtt3.message.publish.Mqtt3Publish;
import com.hivemq.client.mqtt.mqtt3.message.subscribe.Mqtt3Subscribe;
import com.hivemq.client.mqtt.mqtt3.message.subscribe.Mqtt3Subscription;
import com.hivemq.client.mqtt.mqtt3.message.unsubscribe.Mqtt3Unsubscribe;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One connection to a broker, from the attempt to its end: MQTT 3.1.1, clean session, keep alive
 * every 10 s, at most 64 messages in flight. A client of HiveMQ serves one connection only, so that
 * no state of an old one is left. Used by one thread, that of MQTT.
 */
final class BrokerSession {
    private static final int TIMEOUT_MILLIS = 4_000; // of each step of a connect
    private static final int LEAVE_MILLIS = 300;
    private static final int KEEP_ALIVE_SECONDS = 10;
    private static final int MAX_IN_FLIGHT = 64;
    private static final int FILTERS_OF_PACKET = 50;
    private static final Executor IO =
            task -> Thread.ofPlatform().daemon().name("sirocco-home-mqtt-io").start(task);
    static final byte[] ONLINE = "online".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] OFFLINE = "offline".getBytes(StandardCharsets.US_ASCII);

    private final MqttSettings settings;
    private final MqttThread executor;
    private final PublishQueue queue;
    private final Mqtt3AsyncClient client;
    private final Map<Long, PublishQueue.Message> inFlight = new HashMap<>();
    private final CompletableFuture<Throwable> end = new CompletableFuture<>();
    private boolean connected;

    /**
     * Creates a session.
     *
     * @param executor the MQTT thread
     * @throws IOException if a certificate cannot be used
     */
    BrokerSession(MqttSettings settings, MqttThread executor, PublishQueue queue)
            throws IOException {
        this.settings = settings;
        this.executor = executor;
        this.queue = queue;
        var builder =
                Mqtt3Client.builder()
                        .identifier(settings.clientId())
                        .transportConfig(transport(settings))
                        .executorConfig(
                                MqttClientExecutorConfig.builder()
                                        .nettyExecutor(IO)
                                        .nettyThreads(1)
                                        .build())
                        .willPublish(availability(OFFLINE));
        settings.credentials()
                .ifPresent(
                        each ->
                                builder.simpleAuth()
                                        .username(each.user())
                                        .password(each.password().getBytes(StandardCharsets.UTF_8))
                                        .applySimpleAuth());
        this.client =
                builder.addDisconnectedListener(context -> ended(context.getCause())).buildAsync();
    }

    private static MqttClientTransportConfig transport(MqttSettings settings) throws IOException {
        var transport =
                MqttClientTransportConfig.builder()
                        .serverHost(settings.host())
                        .serverPort(settings.port())
                        .socketConnectTimeout(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
                        .mqttConnectTimeout(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        if (settings.tls()) {
            transport.sslConfig(BrokerCertificates.read(settings.certificates(), TIMEOUT_MILLIS));
        }
        return transport.build();
    }

    private Mqtt3Publish availability(byte[] payload) {
        return publish(settings.availabilityTopic(), payload, true);
    }

    private static Mqtt3Publish publish(String topic, byte[] payload, boolean retained) {
        return Mqtt3Publish.builder()
                .topic(topic)
                .payload(payload)
                .qos(MqttQos.AT_LEAST_ONCE)
                .retain(retained)
                .build();
    }

    /**
     * Connects.
     *
     * @param received is called with each message
     * @param accepted is called once when the broker has accepted: it subscribes, and begins to
     *     send
     * @param ended is called once with the reason, after a failure or the end of the connection
     */
    void connect(Consumer<Mqtt3Publish> received, Runnable accepted, Consumer<Throwable> ended) {
        executor.when(
                end,
                (cause, none) -> {
                    connected = false;
                    inFlight.values().forEach(queue::putBack);
                    inFlight.clear();
                    ended.accept(cause);
                });
        client.publishes(MqttGlobalPublishFilter.ALL, received, executor);
        var response =
                client.connect(
                                Mqtt3Connect.builder()
                                        .cleanSession(true)
                                        .keepAlive(KEEP_ALIVE_SECONDS)
                                        .build())
                        .whenComplete(
                                (acknowledged, error) -> {
                                    if (end.isDone()) {
                                        client.disconnect(); // it was left meanwhile
                                    }
                                });
        executor.when(
                response,
                (acknowledged, error) -> {
                    if (error != null) {
                        ended(error);
                    } else if (end.isDone()) {
                        client.disconnect();
                    } else {
                        connected = true;
                        accepted.run();
                    }
                });
    }

    private void ended(Throwable cause) {
        end.complete(cause instanceof CompletionException ? cause.getCause() : cause);
    }

    /** Publishes {@code online}, and sends what waits. */
    void begin() {
        if (connected) {
            client.publish(availability(ONLINE));
            send();
        }
    }

    /** Sends what waits. */
    void send() {
        while (connected && inFlight.size() < MAX_IN_FLIGHT) {
            var next = queue.next();
            if (next.isEmpty()) {
                return;
            }
            PublishQueue.Message message = next.get();
            inFlight.put(message.sequence(), message);
            executor.when(
                    client.publish(publish(message.topic(), message.payload(), message.retained())),
                    (sent, error) -> published(message, error));
        }
    }

    private void published(PublishQueue.Message message, Throwable error) {
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        if (cause != null && isLoss(cause)) {
            ended(cause); // which puts it back
        } else if (inFlight.remove(message.sequence(), message)) {
            queue.done(message, cause == null);
            send();
        }
    }

    private static boolean isLoss(Throwable error) {
        return error instanceof ConnectionClosedException
                || error instanceof ConnectionFailedException
                || error instanceof MqttSessionExpiredException
                || error instanceof MqttClientStateException
                || error instanceof Mqtt3DisconnectException;
    }

    /**
     * Subscribes, with QoS 1.
     *
     * @param refused is called with the reason if the broker refuses one
     * @return completes when the broker has responded, or after 4 s
     */
    CompletableFuture<?> subscribe(Collection<String> filters, Consumer<Throwable> refused) {
        List<String> all = List.copyOf(filters);
        List<CompletableFuture<?>> responses = new ArrayList<>();
        for (int from = 0; connected && from < all.size(); from += FILTERS_OF_PACKET) {
            int to = Math.min(all.size(), from + FILTERS_OF_PACKET);
            var packet =
                    Mqtt3Subscribe.builder()
                            .addSubscriptions(
                                    all.subList(from, to).stream()
                                            .map(BrokerSession::subscription));
            responses.add(
                    client.subscribe(packet.build())
                            .orTimeout(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
                            .handleAsync(
                                    (acknowledged, error) -> {
                                        if (error != null && !end.isDone()) {
                                            MqttThread.guarded(
                                                    "a refusal", () -> refused.accept(error));
                                        }
                                        return error;
                                    },
                                    executor));
        }
        return CompletableFuture.allOf(responses.toArray(CompletableFuture[]::new));
    }

    private static Mqtt3Subscription subscription(String filter) {
        return Mqtt3Subscription.builder().topicFilter(filter).qos(MqttQos.AT_LEAST_ONCE).build();
    }

    void unsubscribe(String filter) {
        if (connected) {
            client.unsubscribe(Mqtt3Unsubscribe.builder().topicFilter(filter).build());
        }
    }

    /**
     * Publishes {@code offline} and disconnects. The future completes within 600 ms, with an
     * exception if the broker does not respond.
     */
    CompletableFuture<?> leave() {
        if (!connected) {
            ended(new IOException("closed"));
            return client.disconnect().handle((done, error) -> done);
        }
        connected = false;
        return client.publish(availability(OFFLINE))
                .orTimeout(LEAVE_MILLIS, TimeUnit.MILLISECONDS)
                .handle((sent, error) -> sent)
                .thenCompose(sent -> client.disconnect())
                .orTimeout(2 * LEAVE_MILLIS, TimeUnit.MILLISECONDS)
                .handle(
                        (done, error) -> {
                            ended(new IOException("closed"));
                            return done;
                        });
    }
}
