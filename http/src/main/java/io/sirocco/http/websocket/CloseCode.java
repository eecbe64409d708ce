// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

/** Codes of close frames (RFC 6455 7.4, and the registry of IANA). */
public final class CloseCode {
    public static final int NORMAL = 1000;
    public static final int GOING_AWAY = 1001;

    /** In no frame: the peer's close frame had no code. */
    public static final int NONE = 1005;

    /** In no frame: the connection ended without a close frame. */
    public static final int LOST = 1006;

    public static final int INTERNAL_ERROR = 1011;

    /** The server cannot serve now; the client may come back (IANA, WebSocket close codes). */
    public static final int TRY_AGAIN_LATER = 1013;

    private CloseCode() {}

    /** Whether a close frame may have it. */
    public static boolean mayBeSent(int code) {
        return code >= 1000 && code <= 1003
                || code >= 1007 && code <= 1014
                || code >= 3000 && code <= 4999;
    }
}
