// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring;

import clojure.lang.IPersistentMap;
import clojure.lang.Keyword;
import clojure.lang.PersistentHashMap;
import io.sirocco.http.Body;
import io.sirocco.http.MediaType;
import io.sirocco.http.Request;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;

/**
 * The values of a request map, by their keys. What the bytes of the request say is copied at once,
 * as bytes, so that the map outlives the request; strings are made on access. Any thread.
 */
final class RequestValues {
    private static final int LONGEST_PATH = 200; // in the log
    private static final Keyword[] KEYS = {
        Keys.REQUEST_METHOD,
        Keys.URI,
        Keys.HEADERS,
        Keys.BODY,
        Keys.QUERY_STRING,
        Keys.SERVER_NAME,
        Keys.SERVER_PORT,
        Keys.REMOTE_ADDR,
        Keys.SCHEME,
        Keys.PROTOCOL,
        Keys.CONTENT_TYPE,
        Keys.CONTENT_LENGTH,
        Keys.CHARACTER_ENCODING,
        Keys.WEBSOCKET,
        Keys.ASYNC_CHANNEL,
        Keys.START_TIME,
    };

    final Request request;
    final RingAdapter adapter;
    private final String method;
    private final String target;
    private final String path; // null where it is the target up to its query
    private final String authority; // null where it is that of the headers
    private final String version;
    private final RingHeaders headers;
    private final long began = System.nanoTime();
    private boolean bodyKnown;
    private InputStream body; // null without one
    private Object remote; // an InetAddress; this on a Unix socket; null until it is asked for
    private RingChannel channel; // null until it is asked for

    RequestValues(Request request, RingAdapter adapter) {
        this.request = request;
        this.adapter = adapter;
        this.method = request.method();
        this.target = request.target();
        this.version = request.version();
        this.headers = new RingHeaders(request.headers());
        boolean plain = target.startsWith("/");
        this.path = plain ? null : request.path();
        this.authority = plain && !adapter.settings.trustsProxies() ? null : request.authority();
    }

    /** Returns method and path, for the log. */
    String name() {
        String path = uri();
        boolean fits = path.length() <= LONGEST_PATH;
        return method + " " + (fits ? path : path.substring(0, LONGEST_PATH) + "...");
    }

    /** Returns whether the request is one of HEAD. */
    boolean isHead() {
        return method.equals("HEAD");
    }

    /** Returns the value of a key, or {@code notFound}. */
    Object get(Object key, Object notFound) {
        if (key == Keys.URI) {
            return uri();
        } else if (key == Keys.REQUEST_METHOD) {
            return Keys.method(method);
        } else if (key == Keys.HEADERS) {
            return headers;
        } else if (key == Keys.BODY) {
            return body();
        } else if (key == Keys.QUERY_STRING) {
            int query = target.indexOf('?');
            return query < 0 ? null : target.substring(query + 1);
        } else if (key == Keys.CONTENT_TYPE) {
            return headers.get("content-type");
        } else if (key == Keys.CONTENT_LENGTH) {
            return contentLength();
        } else if (key == Keys.CHARACTER_ENCODING) {
            return characterEncoding();
        } else if (key == Keys.SCHEME) {
            return request.isSecure() ? Keys.HTTPS : Keys.HTTP;
        } else if (key == Keys.SERVER_NAME) {
            return serverName();
        } else if (key == Keys.SERVER_PORT) {
            return serverPort();
        } else if (key == Keys.REMOTE_ADDR) {
            return remoteAddress();
        } else if (key == Keys.PROTOCOL) {
            return version;
        } else if (key == Keys.WEBSOCKET) {
            return isWebSocket();
        } else if (key == Keys.ASYNC_CHANNEL) {
            return channel().view();
        } else if (key == Keys.START_TIME) {
            return began;
        } else if (key == Keys.SSL_CLIENT_CERT) {
            X509Certificate certificate = clientCertificate();
            return certificate == null ? notFound : certificate;
        }
        return notFound;
    }

    /** Returns all of them as an ordinary map. */
    IPersistentMap all() {
        IPersistentMap map = PersistentHashMap.EMPTY;
        for (Keyword key : KEYS) {
            map = map.assoc(key, get(key, null));
        }
        X509Certificate certificate = clientCertificate();
        return certificate == null ? map : map.assoc(Keys.SSL_CLIENT_CERT, certificate);
    }

    private String uri() {
        if (path != null) {
            return path;
        }
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    private synchronized InputStream body() {
        if (!bodyKnown) {
            bodyKnown = true;
            Body sent = request.body();
            body = sent.length().orElse(-1) == 0 ? null : sent.inputStream();
        }
        return body;
    }

    private Long contentLength() {
        String stated = headers.get("content-length");
        return stated == null ? null : Long.valueOf(stated); // checked by the parser
    }

    private String characterEncoding() {
        String type = headers.get("content-type");
        return type == null || !type.toLowerCase(Locale.ROOT).contains("charset")
                ? null
                : MediaType.parse(type).flatMap(media -> media.parameter("charset")).orElse(null);
    }

    private String authority() {
        String known = authority == null ? headers.get("host") : authority;
        return known == null ? "" : known;
    }

    private String serverName() {
        String all = authority();
        if (all.isEmpty()) {
            return request.localAddress() instanceof InetSocketAddress local
                            && !local.getAddress().isAnyLocalAddress()
                    ? host(local.getAddress())
                    : "localhost";
        }
        int colon = portColon(all);
        return colon < 0 ? all : all.substring(0, colon);
    }

    private static String host(InetAddress address) {
        String text = address.getHostAddress();
        return text.indexOf(':') < 0 ? text : "[" + text + "]"; // RFC 3986 3.2.2
    }

    private long serverPort() {
        String all = authority();
        int colon = portColon(all);
        if (colon >= 0 && colon + 1 < all.length()) {
            return Long.parseLong(all, colon + 1, all.length(), 10); // checked by the parser
        }
        return request.localAddress() instanceof InetSocketAddress local ? local.getPort() : 80;
    }

    /** Returns the position of the colon before the port, or -1. */
    private static int portColon(String authority) {
        int colon = authority.lastIndexOf(':');
        return colon > authority.lastIndexOf(']') ? colon : -1;
    }

    private String remoteAddress() {
        if (adapter.settings.believesForwardedFor()) {
            String claimed = headers.get("x-forwarded-for");
            if (claimed != null && !claimed.isBlank()) {
                int comma = claimed.indexOf(',');
                return (comma < 0 ? claimed : claimed.substring(0, comma)).strip();
            }
        }
        if (remote == null) {
            try {
                SocketAddress address = request.remoteAddress();
                remote = address instanceof InetSocketAddress inet ? inet.getAddress() : this;
            } catch (CompletionException e) {
                return null; // the connection has ended
            }
        }
        return remote instanceof InetAddress inet ? inet.getHostAddress() : null;
    }

    private X509Certificate clientCertificate() {
        return request.tls()
                .map(session -> session.peerCertificates())
                .filter(chain -> !chain.isEmpty())
                .map(List::getFirst)
                .orElse(null);
    }

    /** Returns whether the client asks for a WebSocket. */
    boolean isWebSocket() {
        String upgrade = headers.get("upgrade");
        if (upgrade != null) {
            for (String token : upgrade.split(",")) {
                if (token.strip().equalsIgnoreCase("websocket")) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Breaks off a stream that a handler has begun before it threw; returns whether there is one.
     */
    boolean handlerFailed(Throwable thrown) {
        return !handlerEnded(thrown);
    }

    /** Called when the handler has returned its response. */
    void handlerReturned() {
        handlerEnded(null);
    }

    private boolean handlerEnded(Throwable thrown) {
        RingChannel begun;
        synchronized (this) {
            begun = channel;
        }
        return begun == null || begun.handlerEnded(thrown);
    }

    /** Returns the channel of the request, always the same. */
    synchronized RingChannel channel() {
        if (channel == null) {
            channel = isWebSocket() ? new SocketChannel(adapter) : new HttpChannel(this);
            channel.viewedBy(adapter.settings.views());
        }
        return channel;
    }
}
