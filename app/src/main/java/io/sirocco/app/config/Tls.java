// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * {@code [tls]}. Immutable.
 *
 * @param engine one that a module brings may be missing
 * @param versions "1.2" and "1.3", or one of them
 * @param ciphers names of the JDK; empty for our own choice
 * @param clientAuthorities who signs the certificates of clients; there unless these are {@link
 *     ClientCertificates#NONE}
 * @param sniHostCheck whether a request must be for a host of its connection's certificate
 * @param sessions that may be resumed
 * @param certificates the first is the default
 */
public record Tls(
        Engine engine,
        boolean selfSigned,
        List<String> versions,
        List<String> ciphers,
        ClientCertificates clientCertificates,
        Optional<Path> clientAuthorities,
        UnknownName unknownName,
        boolean sniHostCheck,
        Duration handshake,
        int sessions,
        List<Certificate> certificates) {

    /** What shakes hands and encrypts. */
    public enum Engine {
        JDK,
        OPENSSL
    }

    /** Whether clients show a certificate of their own: mutual TLS. */
    public enum ClientCertificates {
        NONE,
        WANTED,
        NEEDED
    }

    /** What a client gets that asks for a name without a certificate. */
    public enum UnknownName {
        DEFAULT,
        REFUSE
    }

    static Tls read(Table table) {
        return read(table, "[[tls.certificate]]");
    }

    static Tls read(Table table, String certificate) {
        var tls =
                new Tls(
                        table.choice("engine", Engine.JDK),
                        table.flag("self-signed", false),
                        table.list(
                                "versions",
                                List.of("1.2", "1.3"),
                                Values.oneOf(List.of("1.2", "1.3"))),
                        table.value("ciphers", Ciphers::read).orElse(List.of()),
                        table.choice("client-certificates", ClientCertificates.NONE),
                        table.file("client-authorities"),
                        table.choice("unknown-name", UnknownName.DEFAULT),
                        table.flag("sni-host-check", true),
                        table.time("handshake-timeout", "10s", Duration.ofMillis(1)),
                        table.whole("sessions", 20_000, 1, 1 << 24),
                        table.tables("certificate", certificate).stream()
                                .map(Certificate::read)
                                .toList());
        tls.check(table);
        return tls;
    }

    /** Every file that it names. */
    List<Path> files() {
        Stream<Path> ofCertificates =
                certificates.stream()
                        .flatMap(
                                certificate ->
                                        switch (certificate) {
                                            case Certificate.Pem(Path chain, Path key, var word) ->
                                                    Stream.concat(
                                                            Stream.of(chain, key), word.stream());
                                            case Certificate.Store(Path store, _, var word) ->
                                                    Stream.concat(Stream.of(store), word.stream());
                                        });
        return Stream.concat(ofCertificates, clientAuthorities.stream()).toList();
    }

    /** Whether there is something to show to clients. */
    boolean certified() {
        return selfSigned || !certificates.isEmpty();
    }

    private void check(Table table) {
        if (versions.isEmpty()) {
            table.error("versions", "\"versions\" is empty", "leave it out for both");
        }
        boolean mutual = clientCertificates != ClientCertificates.NONE;
        if (mutual && !table.sets("client-authorities")) {
            table.error(
                    "client-certificates",
                    "nobody signs the certificates of clients",
                    "name a file of authorities: client-authorities = \"clients.pem\"");
        }
        if (!mutual && table.sets("client-authorities")) {
            table.warning(
                    "client-authorities",
                    "\"client-authorities\" has no effect",
                    "clients are not asked without client-certificates = \"needed\" or \"wanted\"");
        }
    }
}
