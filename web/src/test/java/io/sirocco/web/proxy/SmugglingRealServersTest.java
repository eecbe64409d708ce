// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import io.sirocco.testkit.FreePort;
import io.sirocco.testkit.OnEachTransport;
import io.sirocco.web.proxy.SmugglingTable.Row;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * The requests of {@code smuggling-requests.txt}, all through one proxy to one real server: its log
 * has the requests that were meant, and no other line.
 */
@Tag("peers")
@OnEachTransport
@Timeout(60)
class SmugglingRealServersTest {
    private static final String NODE =
            """
            const http = require('http'), fs = require('fs');
            http.createServer((req, res) => {
              fs.appendFileSync('requests', req.method + ' ' + req.url + '\\n');
              req.resume().on('end', () => res.end(req.method + ' ' + req.url));
            }).on('clientError', (e, s) => {
              if (e.code !== 'ECONNRESET' && e.code !== 'HPE_INVALID_EOF_STATE') {
                fs.appendFileSync('requests', e.code + '\\n');
              }
              s.destroy();
            }).listen(Number(process.argv[2]), '127.0.0.1');
            """;
    private static final String NGINX =
            """
            worker_processes 1;
            error_log stderr;
            events { worker_connections 256; }
            http {
                log_format requests escape=none '$request_method $request_uri';
                access_log requests requests;
                client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
                uwsgi_temp_path uwsgi; scgi_temp_path scgi;
                large_client_header_buffers 4 64k;
                server {
                    listen 127.0.0.1:PORT;
                    location / { return 200 "$request_method $request_uri"; }
                }
            }
            """;

    @Parameter TransportKind transport;
    @TempDir Path folder;

    private final int port = FreePort.tcp();

    private Process start(String... command) throws IOException {
        Assumptions.assumeTrue(Files.isExecutable(Path.of(command[0])), command[0]);
        Process process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("log").toFile())
                        .start();
        ProxyServer.await("the server", () -> accepts() || !process.isAlive());
        return process;
    }

    private boolean accepts() {
        try {
            new Socket("127.0.0.1", port).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void nodeSeesTheRequestsThatWereMeant() throws Exception {
        Files.writeString(folder.resolve("server.js"), NODE);
        Process node = start("/usr/bin/node", "server.js", Integer.toString(port));
        check(node, "PURGE", "get");
    }

    @Test
    void nginxSeesTheRequestsThatWereMeant() throws Exception {
        Files.writeString(
                folder.resolve("nginx.conf"), NGINX.replace("PORT", Integer.toString(port)));
        for (Path each = folder; each != null && !each.equals(Path.of("/tmp")); ) {
            each.toFile().setExecutable(true, false); // its workers may be another user
            each.toFile().setReadable(true, false);
            each = each.getParent();
        }
        Process nginx =
                start(
                        "/usr/sbin/nginx",
                        "-p",
                        ".",
                        "-c",
                        "nginx.conf",
                        "-g",
                        "daemon off; pid nginx.pid;");
        check(nginx, "get");
    }

    /**
     * @param unknown methods that the server does not know
     */
    private void check(Process server, String... unknown) throws Exception {
        var expected = new ArrayList<String>();
        Path log = folder.resolve("requests");
        try (var proxy = new ProxyServer(transport, Upstream.of("http://127.0.0.1:" + port))) {
            for (Row row : RequestSmugglingTest.rows().toList()) {
                String client = row.columns().get(0);
                String meant = SmugglingTable.bytes(row.columns().get(1));
                if (meant.contains("%00") // nginx refuses it, and so it is
                        || meant.equals("cut") // they may log its beginning
                        || List.of(unknown).contains(meant.split(" ")[0])) {
                    continue;
                }
                if (client.equals("200")) {
                    for (String each : meant.split(" ; ")) {
                        String[] words = each.split(" ");
                        expected.add(words[0] + " " + words[1]);
                    }
                }
                if (client.equals("200") || client.endsWith("+")) {
                    expected.add("GET /next");
                }
                try (RawClient one = proxy.client()) {
                    RequestSmugglingTest.exchange(
                            one, row.bytes() + RequestSmugglingTest.NEXT, false);
                }
            }
            proxy.awaitQuiet();
            int lines = expected.size();
            ProxyServer.await(lines + " requests", () -> lines(log).size() >= lines);
        } finally {
            server.descendants().forEach(ProcessHandle::destroy);
            server.destroy();
            server.waitFor();
        }
        assertTrue(expected.size() > 150, expected.size() + " requests");
        List<String> logged = lines(log);
        for (int i = 0; i < expected.size(); i++) {
            assertEquals(expected.get(i), logged.get(i), "behind " + expected.subList(0, i));
        }
        assertEquals(expected.size(), logged.size());
    }

    private static List<String> lines(Path log) {
        try {
            return Files.exists(log) ? Files.readAllLines(log) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
