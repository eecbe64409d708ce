// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.live.Arguments;
import io.sirocco.live.RequestException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A namespace of a server, as a client of it sees it: events and requests both ways. A {@link
 * LiveClient} is itself the one called {@code /}.
 *
 * <p>Handlers are plain blocking code on a virtual thread. All those of a client run one after the
 * other, in the order in which things happened; what one throws is given to {@link #onError} and
 * hinders no other.
 *
 * <p>Any thread; but {@link #send} and {@link #request} may wait, and must not be called on an
 * event loop: not by an {@code INLINE} handler of a server whose loops are shared, for example.
 */
public sealed interface LiveNamespace permits LiveClient, Channel {

    /** What to do with an event, or with what has happened. */
    @FunctionalInterface
    interface Handler<T> {
        /** May block; may throw what it likes. */
        void handle(T what) throws Exception;
    }

    /** What to answer to a request. */
    @FunctionalInterface
    interface Answerer<T> {
        /**
         * What JSON can say, or bytes; null is an answer, too; a {@link
         * java.util.concurrent.CompletionStage} gives it later; {@link Arguments} are several, or
         * none. May block.
         *
         * @throws RequestException made by {@link RequestException#refused} to refuse
         * @throws Exception to have the server told no more than {@code failed}
         */
        Object answer(T what) throws Exception;
    }

    /** Its name, which begins with a slash. */
    String name();

    /** The server's name for us, while it is joined. */
    Optional<String> id();

    /** Whether it is joined now. */
    boolean isConnected();

    /**
     * Joins it, connects for that if need be, and comes back after each loss until {@link #leave},
     * a refusal for good, or the server's good-bye. Returns at once.
     *
     * @return completed when it is joined first; with a {@link RefusedException} when the server
     *     refuses for good, with an {@link IllegalStateException} when it is left before
     */
    CompletableFuture<Connected> connect();

    /** Leaves it, behind what was sent before; the connection stays for others. */
    void leave();

    /**
     * Calls {@code handler} with the first argument of each such event, as {@link Arguments#as} has
     * it; one that is missing or does not fit is given to {@link #onError}.
     */
    <T> LiveNamespace on(String event, Class<T> type, Handler<? super T> handler);

    /** Calls {@code handler} with all arguments of each such event. */
    LiveNamespace on(String event, Handler<Arguments> handler);

    /** Forgets all handlers of an event, and who answers a request of that name. */
    LiveNamespace off(String event);

    /** Forgets a handler of an event, the very one that was given to {@code on}. */
    LiveNamespace off(String event, Handler<?> handler);

    /**
     * Has {@code answerer} answer what the server asks, in the place of one before; it is given the
     * first argument. One that is missing or does not fit is answered with {@code bad_arguments}.
     */
    <T> LiveNamespace onRequest(String event, Class<T> type, Answerer<? super T> answerer);

    /** The same with all arguments. */
    LiveNamespace onRequest(String event, Answerer<Arguments> answerer);

    /** Calls {@code handler} each time that it was joined, before any event of it. */
    LiveNamespace onConnected(Handler<Connected> handler);

    /** Calls {@code handler} each time that it was left, behind all its events. */
    LiveNamespace onDisconnected(Handler<Disconnected> handler);

    /** Calls {@code handler} each time that the server refuses us. */
    LiveNamespace onRefused(Handler<Refused> handler);

    /** Gives {@code handler} what other handlers throw, instead of logging it. */
    LiveNamespace onError(Consumer<Throwable> handler);

    /**
     * Sends an event. Those of one thread arrive in their order. Waits while the server takes less
     * than it is sent; what is sent while there is no connection waits for one, as much as {@link
     * LiveClientSettings#offline} says. An event that was on its way when the connection was lost
     * may be lost as well: who must know uses {@link #request}.
     *
     * @return whether it was taken; false when there is no room, and when the client is closed
     * @throws IllegalArgumentException when the name is reserved, an argument cannot be JSON, or
     *     there are more than {@link io.sirocco.live.Live#MAX_BYTE_ARRAYS} byte arrays
     */
    boolean send(String event, Object... arguments);

    /**
     * Asks the server, and waits for its answer; in a handler too, since answers come in by another
     * way than events.
     *
     * @param longest to wait, the time without a connection included
     * @param type of the first argument of the answer; {@code Void} for none
     * @throws RequestException when there is no such answer
     */
    <T> T request(String event, Duration longest, Class<T> type, Object... arguments);

    /** How many events were not taken, or were displaced, since there was no room; only grows. */
    long dropped();
}
