// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring;

import clojure.lang.IFn;
import clojure.lang.Keyword;
import io.sirocco.http.Response;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A channel to one client: of a request whose response comes later or in pieces, or of a WebSocket.
 * Callbacks may block. They run on virtual threads, except {@code on-close}, which runs on the
 * thread that closes the channel. Any thread.
 */
public abstract sealed class RingChannel permits HttpChannel, SocketChannel {
    static final Keyword SERVER_CLOSE = Keyword.intern("server-close");
    static final Keyword CLIENT_CLOSE = Keyword.intern("client-close");

    /**
     * A channel as an object of another class, for programs that name the class of the channels of
     * the server that they were written for.
     */
    public interface View {
        /** Returns the channel itself. */
        RingChannel channel();
    }

    private Object view = this; // set before the program has the channel
    private final AtomicReference<IFn> onOpen = new AtomicReference<>();
    private final AtomicReference<IFn> onReceive = new AtomicReference<>();
    private final AtomicReference<IFn> onPing = new AtomicReference<>();
    private final AtomicReference<IFn> onClose = new AtomicReference<>();
    private final AtomicReference<Keyword> closed = new AtomicReference<>(); // why
    private final AtomicBoolean closeReported = new AtomicBoolean();

    abstract RingAdapter adapter();

    /**
     * Returns the channel that an object is, or is a view of.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static RingChannel of(Object channel) {
        return switch (channel) {
            case RingChannel itself -> itself;
            case View view -> view.channel();
            case null, default ->
                    throw new IllegalArgumentException(
                            "A channel is the :async-channel of a request, not "
                                    + (channel == null
                                            ? "nil."
                                            : "an object of "
                                                    + channel.getClass().getName()
                                                    + "."));
        };
    }

    /** Returns what the program gets as the channel. */
    final Object view() {
        return view;
    }

    /** Has the program get a view in the place of the channel. */
    final RingChannel viewedBy(IFn views) {
        if (views != null) {
            view = views.invoke(this);
        }
        return this;
    }

    /** Warns of keys of callbacks that are none of the known ones. */
    public final void unknown(Object known, Object callbacks) {
        adapter().settings.unknown().invoke("as-channel", known, callbacks);
    }

    /** Returns the response to the request, which the handler has returned. */
    abstract Response respond();

    /**
     * Called when the handler has returned or thrown: closes the channel unless it is the response.
     *
     * @param thrown null if it has returned
     * @return false if the channel has begun to send a response that cannot be complete any more
     */
    abstract boolean handlerEnded(Throwable thrown);

    /** Called when the callback for the end has thrown an exception. */
    abstract void closeFailed(Throwable thrown);

    /**
     * Sends data.
     *
     * @param close whether to close the channel afterwards; null: yes for HTTP, no for a WebSocket
     * @param wait whether to wait for room
     * @return whether it was accepted: false if the channel is closed or there is no room
     * @throws IllegalArgumentException if the data cannot be sent
     */
    public abstract boolean send(Object data, Boolean close, boolean wait) throws Exception;

    /** Closes the channel. Returns false if it was closed before. */
    public abstract boolean close() throws Exception;

    /**
     * Closes the channel, a WebSocket with a code and a reason. Returns false if it was closed
     * before.
     */
    public abstract boolean close(int code, String reason) throws Exception;

    /** Returns whether the channel is one of a WebSocket. */
    public abstract boolean isWebSocket();

    /** Returns whether data can be sent. */
    public final boolean isOpen() {
        return closed.get() == null;
    }

    /** Sets what is called when the channel is open. */
    public final void onOpen(IFn callback) {
        set(onOpen, callback, "on-open");
    }

    /** Sets what is called for each message of a WebSocket. */
    public final void onReceive(IFn callback) {
        set(onReceive, callback, "on-receive");
    }

    /** Sets what is called for each ping of a WebSocket. */
    public final void onPing(IFn callback) {
        set(onPing, callback, "on-ping");
    }

    /** Sets what is called once when the channel has closed; at once if it has. */
    public final void onClose(IFn callback) {
        set(onClose, callback, "on-close");
        reportClose();
    }

    private static void set(AtomicReference<IFn> of, IFn callback, String name) {
        if (!of.compareAndSet(null, callback)) {
            throw new IllegalStateException("The channel has an " + name + " callback already.");
        }
    }

    final void opened() {
        call(onOpen.get());
    }

    final void received(Object message) {
        call(onReceive.get(), message);
    }

    final void pinged(Object data) {
        call(onPing.get(), data);
    }

    /** Notes that the channel has closed. Returns false if it was closed before. */
    final boolean noteClosed(Keyword why) {
        return closed.compareAndSet(null, why);
    }

    /** Returns whether something is to be called when the channel is open. */
    final boolean hasOnOpen() {
        return onOpen.get() != null;
    }

    /** Returns whether the callback for the end is set and was not called. */
    final boolean owesClose() {
        return onClose.get() != null && !closeReported.get();
    }

    /** Calls the callback, unless it was called or is not set yet. */
    final void reportClose() {
        IFn callback = onClose.get();
        Keyword why = closed.get();
        if (callback != null && why != null && closeReported.compareAndSet(false, true)) {
            try {
                callback.invoke(view, why);
            } catch (Throwable e) {
                closeFailed(e);
            }
        }
    }

    private void call(IFn callback, Object argument) {
        if (callback != null) {
            callback.invoke(view, argument);
        }
    }

    private void call(IFn callback) {
        if (callback != null) {
            callback.invoke(view);
        }
    }
}
