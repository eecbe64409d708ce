// SPDX-License-Identifier: Apache-2.0
import io.sirocco.http.Handling;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import io.sirocco.web.files.FileServer;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Locale;

/** Sirocco as a peer in the race: a port, a folder, a transport. */
final class SiroccoPeer {
    private static final Response HELLO = Response.text("Hello, World!").type("text/plain");
    private static final Response THREE = Response.text("abc").type("text/plain");
    private static final Response ECHO = Response.text("Hello from the echo").type("text/plain");

    private SiroccoPeer() {}

    public static void main(String[] arguments) {
        int port = Integer.parseInt(arguments[0]);
        Path files = Path.of(arguments[1]);
        var transport = TransportKind.valueOf(arguments[2].toUpperCase(Locale.ROOT));
        Server.start(
                config ->
                        config.listen(new InetSocketAddress("127.0.0.1", port))
                                .loops(1)
                                .transport(transport)
                                .serverHeader(""),
                routes -> {
                    routes.route("GET", "/plaintext", _ -> HELLO).handling(Handling.INLINE);
                    routes.route("GET", "/virtual", _ -> HELLO).handling(Handling.VIRTUAL);
                    routes.route("GET", "/echo", _ -> ECHO).handling(Handling.INLINE);
                    routes.route("GET", "/three", _ -> THREE).handling(Handling.INLINE);
                    // no ranges, as nginx here, and as PokerFace's nginx had it
                    var server = FileServer.of(files, options -> options.maxRanges(0));
                    routes.route("GET", "/files/*", server).handling(Handling.INLINE);
                });
    }
}
