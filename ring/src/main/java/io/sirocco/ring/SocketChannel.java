// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring;

import clojure.lang.IPersistentMap;
import clojure.lang.Keyword;
import clojure.lang.Util;
import io.sirocco.http.Response;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A channel over a WebSocket. Messages sent before the socket is open are queued until it is. Any
 * thread.
 */
final class SocketChannel extends RingChannel implements WebSocketCallbacks {
    private final RingAdapter adapter; // and nothing of the request, which a socket outlives
    private final RingSocket socket = new RingSocket(this);
    private List<Object> early = new ArrayList<>(); // null once the socket is open
    private long earlyBytes;
    private boolean closesEarly;
    private int code = 1000; // that closes early, with its reason
    private String reason = "";
    private volatile boolean isResponse;

    SocketChannel(RingAdapter adapter) {
        this.adapter = adapter;
    }

    @Override
    public boolean isWebSocket() {
        return true;
    }

    @Override
    RingAdapter adapter() {
        return adapter;
    }

    @Override
    Response respond() {
        isResponse = true;
        return Response.webSocket(adapter.webSockets(null), socket);
    }

    @Override
    boolean handlerEnded(Throwable thrown) {
        if (!isResponse) {
            neverOpens(SERVER_CLOSE);
            guarded("on-close", this::reportClose);
        }
        return true;
    }

    private void neverOpens(Keyword why) {
        noteClosed(why);
        synchronized (this) {
            early = null; // nobody gets them
        }
    }

    @Override
    void closeFailed(Throwable thrown) {
        throw Util.sneakyThrow(thrown); // to the socket, or to the program that has closed it
    }

    // ---- called by the program

    @Override
    public boolean send(Object data, Boolean close, boolean wait) throws IOException {
        Object message = message(data);
        if (!isOpen()) {
            return false;
        }
        boolean last = close != null && close;
        Boolean early = sendEarly(message);
        boolean sent = early == null ? send(message, wait) : early;
        if (last && sent) {
            close();
        }
        return sent;
    }

    private boolean send(Object message, boolean wait) {
        if (!socket.isOpen()) {
            return false;
        }
        if (!wait) {
            return socket.trySend(message);
        }
        try {
            socket.send(message);
            return true;
        } catch (IOException e) {
            return false; // it has closed meanwhile
        }
    }

    /**
     * Keeps a message for the time when the socket is open. Returns whether there is room for it;
     * null if the socket is open.
     */
    private synchronized Boolean sendEarly(Object message) {
        if (early == null) {
            return null;
        }
        if (earlyBytes >= adapter.settings.maxPending()) {
            return false;
        }
        earlyBytes += message instanceof byte[] bytes ? bytes.length : ((String) message).length();
        early.add(message);
        return true;
    }

    /**
     * Takes the queued messages; those sent meanwhile are queued after them. Returns null if none
     * is left; from then on messages are sent at once.
     */
    private synchronized List<Object> takeEarly() {
        List<Object> taken = early.isEmpty() ? null : early;
        early = taken == null ? null : new ArrayList<>();
        earlyBytes = 0;
        return taken;
    }

    private static Object message(Object data) throws IOException {
        return switch (data) {
            case String text -> text;
            case byte[] bytes -> bytes;
            case InputStream in -> {
                try (in) {
                    yield in.readAllBytes();
                }
            }
            case ByteBuffer buffer -> RingSocket.bytes(buffer);
            case IPersistentMap map when map.valAt(Keys.BODY) != null ->
                    message(map.valAt(Keys.BODY));
            case null, default -> throw RingSocket.notAMessage(data);
        };
    }

    @Override
    public boolean close() throws IOException {
        return close(1000, "");
    }

    @Override
    public boolean close(int code, String reason) throws IOException {
        // before anything is noted: the socket, which looks as well, may open later
        boolean known =
                code == 1000 || code == 1001 || code == 1003 || code >= 1007 && code <= 1014;
        if (!known && (code < 3000 || code > 4999)) {
            throw new IllegalArgumentException(
                    "A WebSocket is closed with 1000, 1001, 1003, 1007 to 1014 or 3000 to 4999 (RFC"
                            + " 6455 7.4), not "
                            + code
                            + ".");
        }
        if (!noteClosed(SERVER_CLOSE)) {
            return false;
        }
        synchronized (this) {
            if (early != null) {
                closesEarly = true;
                this.code = code;
                this.reason = reason;
                return true;
            }
        }
        socket.close(code, reason);
        reportClose();
        return true;
    }

    // ---- called by the socket, one at a time

    @Override
    public void refused() {
        neverOpens(CLIENT_CLOSE);
    }

    @Override
    public void open(RingSocket opened) throws IOException {
        for (List<Object> next = takeEarly(); next != null; next = takeEarly()) {
            for (Object each : next) {
                socket.send(each);
            }
        }
        if (closesEarly) {
            socket.close(code, reason);
            reportClose();
        } else {
            opened();
        }
    }

    @Override
    public void message(RingSocket from, Object message) {
        guarded(
                "on-receive",
                () ->
                        received(
                                message instanceof ByteBuffer buffer
                                        ? RingSocket.bytes(buffer)
                                        : message));
    }

    /** Calls a callback; reports what it throws, and the socket goes on, as http-kit's does. */
    private void guarded(String callback, Runnable call) {
        try {
            call.run();
        } catch (Exception e) {
            adapter.failed("a channel's " + callback + " threw", e);
        }
    }

    @Override
    public void ping(RingSocket from, ByteBuffer data) {
        guarded("on-ping", () -> pinged(RingSocket.bytes(data)));
    }

    @Override
    public void pong(RingSocket from, ByteBuffer data) {}

    @Override
    public void error(RingSocket from, Throwable thrown) {}

    @Override
    public void close(RingSocket from, int code, String reason) {
        noteClosed(why(code));
        reportClose();
    }

    private static Keyword why(int code) {
        return Keyword.intern(
                switch (code) {
                    case 1000 -> "normal";
                    case 1001 -> "going-away";
                    case 1002 -> "protocol-error";
                    case 1003 -> "unsupported";
                    case 1005 -> "no-status-received";
                    case 1006 -> "abnormal";
                    case 1007 -> "invalid-payload-data";
                    case 1008 -> "policy-violation";
                    case 1009 -> "message-too-big";
                    case 1010 -> "mandatory-extension";
                    case 1011 -> "internal-server-error";
                    case 1015 -> "tls-handshake";
                    default -> "unknown";
                });
    }
}
