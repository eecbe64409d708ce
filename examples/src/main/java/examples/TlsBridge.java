// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.Tls;
import io.sirocco.net.TlsClient;
import io.sirocco.web.proxy.Proxy;
import io.sirocco.web.proxy.Upstream;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/**
 * TLS bridging, both ways: a listener with TLS in front of a server without, and a listener without
 * TLS for clients that know none, in front of a server that demands it and whose certificate is
 * verified. The program does the first; its certificate is in the folder {@code tls}.
 *
 * <pre>
 *   curl --cacert tls/localhost.pem https://localhost:8443/
 * </pre>
 */
public final class TlsBridge {

    /** Clients use TLS, the server behind does not. */
    static Server terminate(int port, Path certificates, String plain) {
        Tls tls = Tls.of(settings -> settings.selfSigned(certificates));
        Upstream behind = Upstream.of(plain);
        return Server.start(
                config -> config.listen(new InetSocketAddress("127.0.0.1", port), tls),
                routes -> routes.any("/*", Proxy.to(behind)));
    }

    /** Clients use plain HTTP, the server behind demands TLS. */
    static Server originate(int port, Path authorities, String secure) {
        Upstream behind =
                Upstream.of(settings -> settings.tls(TlsClient.trusting(authorities)), secure);
        return Server.start(
                config -> config.listen(new InetSocketAddress("127.0.0.1", port)),
                routes -> routes.any("/*", Proxy.to(behind)));
    }

    void main(String[] arguments) {
        Server plain =
                Server.start(0, routes -> routes.get("/", r -> Response.text("Hello over TLS\n")));
        int port = arguments.length == 0 ? 8443 : Integer.parseInt(arguments[0]);
        Server server = terminate(port, Path.of("tls"), "http://127.0.0.1:" + plain.port());
        IO.println("https://localhost:" + server.port() + "/");
    }
}
