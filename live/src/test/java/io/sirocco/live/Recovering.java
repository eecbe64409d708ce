// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.socket.client.Ack;
import io.socket.client.IO;
import io.socket.client.Socket;
import java.net.URI;
import java.util.concurrent.ConcurrentHashMap;
import org.json.JSONObject;

/** Hands back to the server what it was told, in the auth of each CONNECT. */
final class Recovering {

    static Socket socket(URI server, IO.Options options) {
        options.auth = new ConcurrentHashMap<>(options.auth); // it is read at each connection
        Socket socket = IO.socket(server, options);
        socket.onAnyIncoming(
                all -> {
                    if (all[all.length - 1] instanceof String offset) {
                        options.auth.put("offset", offset);
                    }
                });
        Ack known = all -> options.auth.put("pid", ((JSONObject) all[0]).optString("pid"));
        socket.on(
                Socket.EVENT_CONNECT, none -> socket.emit("sirocco:session", new Object[0], known));
        return socket;
    }
}
