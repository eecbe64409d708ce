// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.script.Scripts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * A site of scripts: those of {@code examples/scripts}. Change one, and the next request gets the
 * new version. Scripts need the jars of {@code app/target/run/script}.
 *
 * <pre>
 *   curl -H 'Accept-Language: es' http://localhost:8080/helloWorld.html
 *   curl -d '{"name": "a"}' http://localhost:8080/mock/items
 * </pre>
 */
public final class ScriptSite {
    private static final Map<String, String> GREETINGS =
            Map.of("en", "Hello, world!", "es", "¡Hola, mundo!", "fr", "Bonjour, le monde !");

    static Scripts scripts(Path folder) throws IOException {
        return Scripts.of(folder, options -> options.config(Map.of("greetings", GREETINGS)));
    }

    static Server start(int port, Scripts scripts) {
        return Server.start(
                config -> config.port(port).monitor(scripts.monitor()),
                routes ->
                        routes.filter(scripts)
                                .get("/", request -> Response.redirect("/helloWorld.html")));
    }

    void main(String[] arguments) throws IOException {
        int port = arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]);
        Server server = start(port, scripts(Path.of("examples/scripts")));
        IO.println("http://127.0.0.1:" + server.port() + "/helloWorld.html");
    }
}
