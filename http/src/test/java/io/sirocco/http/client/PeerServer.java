// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A server of somebody else's, in a process of its own. Any thread. */
public final class PeerServer implements AutoCloseable {
    private static final String NODE =
            """
            const http = require('http');
            const mib = Buffer.alloc(1 << 20);
            const server = http.createServer((req, res) => {
              const [, what, arg] = req.url.split('/');
              if (what === 'hello') { res.end('hello'); return; }
              if (what === 'echo') { req.pipe(res); return; }
              if (what === 'refuse') { res.writeHead(403); res.end('no'); return; }
              if (what === 'hints') {
                res.writeEarlyHints({link: '</a>; rel=preload'}, () => res.end('hinted'));
                return;
              }
              if (what === 'trailers') {
                res.writeHead(200, {Trailer: 'Checksum'});
                res.write('body'); res.addTrailers({Checksum: '7'}); res.end();
                return;
              }
              if (what === 'cut') {
                res.writeHead(200, {'Content-Length': 10}); res.write('abc');
                setImmediate(() => res.destroy());
                return;
              }
              if (what === 'count') {
                let n = 0;
                req.on('data', d => { n += d.length; });
                req.on('end', () => res.end(String(n)));
                return;
              }
              if (what === 'flood') {
                let left = Number(arg);
                res.writeHead(200, {'Content-Length': left * mib.length});
                const more = () => {
                  while (left > 0) { left--; if (!res.write(mib)) { res.once('drain', more); return; } }
                  res.end();
                };
                more();
                return;
              }
              res.writeHead(404); res.end();
            });
            server.on('upgrade', (req, socket) => {
              socket.write('HTTP/1.1 101 Switching\\r\\nUpgrade: echo\\r\\nConnection: Upgrade\\r\\n\\r\\nfirst!');
              socket.pipe(socket);
            });
            server.requestTimeout = 0;
            server.listen(Number(process.argv[2]), '127.0.0.1');
            """;

    private static final String NGINX =
            """
            worker_processes 1;
            error_log stderr;
            events { worker_connections 256; }
            http {
                access_log off;
                client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
                uwsgi_temp_path uwsgi; scgi_temp_path scgi;
                default_type text/plain;
                sendfile on; keepalive_requests 100000; keepalive_timeout 60s;
                client_max_body_size 1k;
                server {
                    listen 127.0.0.1:PORT;
                    root site;
                    location /post { return 200 "posted"; }
                    location /gzip { gzip on; gzip_types text/plain; gzip_min_length 1; try_files /hello =404; }
                    location /one { keepalive_timeout 0; try_files /hello =404; }
                }
            }
            """;

    private final Process process;
    private final int port;

    private PeerServer(Path folder, int port, List<String> command) throws IOException {
        this.port = port;
        Path log = folder.resolve("log");
        process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!accepts()) {
            if (!process.isAlive() || System.nanoTime() > end) {
                process.destroyForcibly();
                throw new IOException(Files.readString(log));
            }
            LockSupport.parkNanos(200_000);
        }
    }

    /** Node, with routes for what the client does. */
    public static PeerServer node(Path folder) throws IOException {
        Path script = Files.writeString(folder.resolve("server.js"), NODE);
        int port = FreePort.tcp();
        String program = program("node");
        return new PeerServer(
                folder, port, List.of(program, script.toString(), Integer.toString(port)));
    }

    /** nginx with two files: {@code /hello}, and {@code /big}, a hole of so many bytes. */
    public static PeerServer nginx(Path folder, long big) throws IOException {
        String program = program("nginx");
        int port = FreePort.tcp();
        Files.writeString(
                folder.resolve("nginx.conf"), NGINX.replace("PORT", Integer.toString(port)));
        Path site = Files.createDirectories(folder.resolve("site"));
        Files.writeString(site.resolve("hello"), "hello");
        try (var file = new RandomAccessFile(site.resolve("big").toFile(), "rw")) {
            file.setLength(big);
        }
        for (Path each = folder;
                each != null && !each.equals(Path.of("/tmp"));
                each = each.getParent()) {
            each.toFile().setExecutable(true, false); // its workers may be another user
            each.toFile().setReadable(true, false);
        }
        var command = new ArrayList<>(List.of(program, "-p", ".", "-c", "nginx.conf"));
        command.addAll(List.of("-g", "daemon off; pid nginx.pid;"));
        return new PeerServer(folder, port, command);
    }

    /** Debian has some where only root looks for programs. */
    private static String program(String name) {
        List<Path> found =
                Stream.of("/usr/sbin", "/usr/local/sbin", "/usr/bin", "/usr/local/bin")
                        .map(folder -> Path.of(folder, name))
                        .filter(Files::isExecutable)
                        .toList();
        assumeTrue(!found.isEmpty(), name + " is not installed");
        return found.getFirst().toString();
    }

    private boolean accepts() {
        try (var _ = new Socket("127.0.0.1", port)) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    public String url() {
        return "http://127.0.0.1:" + port;
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
