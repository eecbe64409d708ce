// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.http.Mount;
import io.sirocco.http.Routes;
import io.sirocco.live.wire.Json;
import io.sirocco.live.wire.Packet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Event channels for the clients of Socket.IO; itself the namespace {@code /}.
 *
 * <pre>{@code
 * Live live = Live.create(c -> c.password("secret"));
 * live.on("shout", String.class, (client, text) -> live.broadcast("heard", text));
 * Server.start(8080, routes -> routes.mount("/socket.io", live));
 * }</pre>
 *
 * <p>Any thread.
 */
public final class Live extends Namespace implements Mount, AutoCloseable {
    /** How the names of our own events begin. */
    static final String OURS = "sirocco:";

    /**
     * Byte arrays in one event or answer, at any depth of its arguments. The official clients end
     * the connection when there are more.
     */
    public static final int MAX_BYTE_ARRAYS = Json.MAX_ATTACHMENTS;

    private static final int CLOSE_SECONDS = 10;

    private Live(Hub hub) {
        super("/", hub);
    }

    /**
     * Sets it up, and connects to its broker.
     *
     * @throws IllegalArgumentException for a setting that cannot be
     * @throws io.sirocco.live.broker.BrokerException when the broker cannot be reached
     */
    public static Live create(Consumer<LiveSettings> configure) {
        var settings = new LiveSettings();
        configure.accept(settings);
        var hub = new Hub(settings);
        var live = new Live(hub);
        hub.add(live);
        live.authenticate(settings.authentication);
        hub.start();
        return live;
    }

    /** A namespace, which is made when it is asked for first. */
    public Namespace namespace(String name) {
        if (!name.startsWith("/") || name.contains(",") || name.length() > 255) {
            throw new IllegalArgumentException(
                    "A namespace begins with a slash and has no comma, unlike '" + name + "'.");
        }
        Namespace known = hub.namespace(name);
        return known != null ? known : hub.add(new Namespace(name, hub));
    }

    /**
     * A ticket for one connection of this user, good for as long as {@link Authentication#tickets}
     * said.
     */
    public String ticket(String user) {
        return hub.ticket(user);
    }

    /**
     * Whether an event of this name means something to clients themselves, or to us: who lets
     * others choose names refuses those.
     */
    public static boolean isReserved(String event) {
        return Packet.RESERVED.contains(event) || event.startsWith(OURS);
    }

    /** The events that clients get from us alone are not to be forged by way of a handler. */
    static void mustNotBeOurs(String event) {
        if (event.startsWith(OURS)) {
            throw new IllegalArgumentException(
                    "'" + event + "' is an event of the server: choose a name without " + OURS);
        }
    }

    /**
     * The wrong secrets that were offered: for programs that accept the password elsewhere, too.
     */
    public Guesses guesses() {
        return hub.guesses;
    }

    /** What was counted, and what there is at this moment. Cheap: it may be asked each second. */
    public LiveMetrics metrics() {
        return hub.metrics();
    }

    @Override
    public void addTo(Routes routes) {
        hub.engine.addTo(routes);
    }

    @Override
    public CompletionStage<?> drain() {
        return new Farewell(hub).begin();
    }

    /**
     * Says good-bye to all, as when the server stops, within ten seconds; then to the broker. Must
     * not be called on a loop.
     */
    @Override
    public void close() {
        CompletableFuture<?> end = drain().toCompletableFuture();
        try {
            end.get(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            hub.engine.sessions().forEach(session -> session.run(session::close));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } finally {
            hub.broker.close();
        }
    }
}
