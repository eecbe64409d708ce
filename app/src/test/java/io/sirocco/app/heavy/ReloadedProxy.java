// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.heavy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A proxy in a process of its own that is reloaded by a signal: Sirocco, nginx or HAProxy. With
 * each reload a route, both pools, a header and the certificate change. Used by one thread.
 *
 * @param signal reloads it
 */
record ReloadedProxy(String name, Path folder, String signal, List<String> command, Ports ports) {

    /** Of the proxy over TCP and TLS, and of the two servers behind it. */
    record Ports(int plain, int tls, int one, int two) {}

    static ReloadedProxy of(String name, Path folder, Ports ports) {
        return switch (name) {
            case "sirocco" -> {
                var command = new ArrayList<String>();
                command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
                command.addAll(
                        List.of(
                                "-Xmx256m",
                                "-XX:+UseSerialGC",
                                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                "io.sirocco.app.Main",
                                "serve",
                                "--config",
                                "sirocco.toml"));
                yield new ReloadedProxy(name, folder, "HUP", command, ports);
            }
            case "nginx" ->
                    new ReloadedProxy(
                            name,
                            folder,
                            "HUP",
                            List.of("/usr/sbin/nginx", "-p", ".", "-c", "nginx.conf"),
                            ports);
            case "haproxy" ->
                    new ReloadedProxy(
                            name,
                            folder,
                            "USR2",
                            List.of("/usr/sbin/haproxy", "-W", "-db", "-f", "haproxy.cfg"),
                            ports);
            default -> throw new IllegalArgumentException(name);
        };
    }

    Process start() throws IOException {
        write(0);
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start();
    }

    void reload(Process process, int number) throws Exception {
        write(number);
        String pid = Long.toString(process.pid());
        new ProcessBuilder("kill", "-" + signal, pid).start().waitFor();
    }

    /** Resident memory of the process and those that it has started, in KiB; and their number. */
    static long[] memory(Process process) {
        List<ProcessHandle> all =
                Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
        return new long[] {all.stream().mapToLong(ReloadedProxy::resident).sum(), all.size()};
    }

    private static long resident(ProcessHandle process) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + process.pid() + "/status"))) {
            return lines.filter(l -> l.startsWith("VmRSS:"))
                    .mapToLong(l -> Long.parseLong(l.replaceAll("[^0-9]", "")))
                    .sum();
        } catch (IOException | RuntimeException e) {
            return 0; // it has ended
        }
    }

    private void write(int number) throws IOException {
        String certificate = number % 2 == 0 ? "even" : "odd";
        String chain = Files.readString(folder.resolve(certificate + ".pem"));
        String key = Files.readString(folder.resolve(certificate + ".key"));
        Files.writeString(folder.resolve("server.pem"), chain + key);
        String text =
                switch (name) {
                    case "sirocco" -> sirocco(number);
                    case "nginx" -> nginx(number);
                    default -> haproxy(number);
                };
        Files.writeString(
                folder.resolve(
                        switch (name) {
                            case "sirocco" -> "sirocco.toml";
                            case "nginx" -> "nginx.conf";
                            default -> "haproxy.cfg";
                        }),
                text);
    }

    private String sirocco(int number) {
        String second = number % 2 == 0 ? "" : ", \"http://127.0.0.1:%d\"".formatted(ports.two);
        return """
        [server]
        reload = false
        [log]
        file = "server.log"
        [[listen]]
        address = "127.0.0.1:%d"
        [[listen]]
        address = "127.0.0.1:%d"
        tls = true
        [[tls.certificate]]
        chain = "server.pem"
        key = "server.pem"
        [[upstream]]
        name = "pages"
        servers = ["http://127.0.0.1:%d"%s]
        [[upstream]]
        name = "sockets"
        max-failures = %d
        servers = ["http://127.0.0.1:%3$d", "http://127.0.0.1:%d"]
        [[site]]
        [[site.route]]
        path = "/page"
        proxy = { to = "pages", response-headers = { X-Reload = "%d" } }
        [[site.route]]
        path = "/socket"
        proxy = "sockets"
        [[site.route]]
        path = "/extra-%7$d"
        respond = { status = 204 }
        """
                .formatted(
                        ports.plain,
                        ports.tls,
                        ports.one,
                        second,
                        3 + number % 5,
                        ports.two,
                        number);
    }

    private String nginx(int number) {
        String second = number % 2 == 0 ? "" : "server 127.0.0.1:%d;".formatted(ports.two);
        return """
        worker_processes 2;
        worker_rlimit_nofile 20000;
        daemon off;
        pid nginx.pid;
        error_log error.log;
        events { worker_connections 19000; }
        http {
            access_log off;
            client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
            uwsgi_temp_path uwsgi; scgi_temp_path scgi;
            upstream pages { server 127.0.0.1:%d; %s keepalive 64; }
            upstream sockets { server 127.0.0.1:%1$d max_fails=%d; server 127.0.0.1:%d; }
            server {
                listen 127.0.0.1:%d;
                listen 127.0.0.1:%d ssl;
                ssl_certificate server.pem;
                ssl_certificate_key server.pem;
                keepalive_requests 1000000;
                keepalive_timeout 3600s;
                proxy_http_version 1.1;
                location = /page {
                    proxy_pass http://pages;
                    proxy_set_header Connection "";
                    add_header X-Reload %d;
                }
                location = /socket {
                    proxy_pass http://sockets;
                    proxy_set_header Upgrade $http_upgrade;
                    proxy_set_header Connection upgrade;
                    proxy_read_timeout 3600s;
                }
                location = /extra-%7$d { return 204; }
            }
        }
        """
                .formatted(
                        ports.one,
                        second,
                        3 + number % 5,
                        ports.two,
                        ports.plain,
                        ports.tls,
                        number);
    }

    private String haproxy(int number) {
        String second = number % 2 == 0 ? "" : "server b 127.0.0.1:%d".formatted(ports.two);
        return """
        global
            maxconn 9800
            nbthread 2
            stats socket unix@haproxy.sock expose-fd listeners level admin
        defaults
            mode http
            timeout connect 5s
            timeout client 3600s
            timeout server 3600s
            timeout tunnel 3600s
        frontend all
            bind 127.0.0.1:%d
            bind 127.0.0.1:%d ssl crt server.pem
            http-request return status 204 if { path /extra-%d }
            http-response set-header X-Reload %3$d
            use_backend sockets if { path /socket }
            default_backend pages
        backend pages
            server a 127.0.0.1:%d
            %s
        backend sockets
            server a 127.0.0.1:%4$d weight %d
            server b 127.0.0.1:%d weight 10
        """
                .formatted(
                        ports.plain,
                        ports.tls,
                        number,
                        ports.one,
                        second,
                        10 + number % 5,
                        ports.two);
    }
}
