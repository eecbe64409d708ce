// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring;

import clojure.lang.Keyword;
import java.util.Locale;

/** The keywords of Ring's maps. */
final class Keys {
    static final Keyword SERVER_PORT = Keyword.intern("server-port");
    static final Keyword SERVER_NAME = Keyword.intern("server-name");
    static final Keyword REMOTE_ADDR = Keyword.intern("remote-addr");
    static final Keyword URI = Keyword.intern("uri");
    static final Keyword QUERY_STRING = Keyword.intern("query-string");
    static final Keyword SCHEME = Keyword.intern("scheme");
    static final Keyword REQUEST_METHOD = Keyword.intern("request-method");
    static final Keyword PROTOCOL = Keyword.intern("protocol");
    static final Keyword HEADERS = Keyword.intern("headers");
    static final Keyword BODY = Keyword.intern("body");
    static final Keyword CONTENT_TYPE = Keyword.intern("content-type");
    static final Keyword CONTENT_LENGTH = Keyword.intern("content-length");
    static final Keyword CHARACTER_ENCODING = Keyword.intern("character-encoding");
    static final Keyword SSL_CLIENT_CERT = Keyword.intern("ssl-client-cert");
    static final Keyword WEBSOCKET = Keyword.intern("websocket?");
    static final Keyword ASYNC_CHANNEL = Keyword.intern("async-channel");
    static final Keyword START_TIME = Keyword.intern("start-time");
    static final Keyword STATUS = Keyword.intern("status");
    static final Keyword LISTENER = Keyword.intern("ring.websocket", "listener");
    static final Keyword OUR_LISTENER = Keyword.intern("sirocco.ring.websocket", "listener");
    static final Keyword SUBPROTOCOL = Keyword.intern("ring.websocket", "protocol");
    static final Keyword OUR_SUBPROTOCOL = Keyword.intern("sirocco.ring.websocket", "protocol");
    static final Keyword HTTP = Keyword.intern("http");
    static final Keyword HTTPS = Keyword.intern("https");

    private static final Keyword GET = Keyword.intern("get");
    private static final Keyword POST = Keyword.intern("post");
    private static final Keyword HEAD = Keyword.intern("head");
    private static final Keyword PUT = Keyword.intern("put");
    private static final Keyword DELETE = Keyword.intern("delete");

    private Keys() {}

    /** Returns the method as a keyword in lower case. */
    static Keyword method(String method) {
        return switch (method) {
            case "GET" -> GET;
            case "POST" -> POST;
            case "HEAD" -> HEAD;
            case "PUT" -> PUT;
            case "DELETE" -> DELETE;
            default -> Keyword.intern(method.toLowerCase(Locale.ROOT));
        };
    }
}
