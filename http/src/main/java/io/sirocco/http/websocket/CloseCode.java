// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

/** Codes of close frames (RFC 6455 7.4 and IANA's registry). Any thread. */
final class CloseCode {
    public static final int NORMAL = 1000;
    public static final int GOING_AWAY = 1001;

    /** Never sent: the peer's close frame has no code. */
    public static final int NONE = 1005;

    /** Never sent: the connection ended without a close frame. */
    public static final int LOST = 1006;

    public static final int INTERNAL_ERROR = 1011;

    /** The server is overloaded, and the client may reconnect later. */
    public static final int TRY_AGAIN_LATER = 1013;

    private CloseCode() {}

    /** Returns whether a close frame may have this code. */
    static boolean mayBeSent(int code) {
        return code >= 1000 && code <= 1003
                || code >= 1007 && code <= 1014
                || code >= 3000 && code <= 4999;
    }
}
