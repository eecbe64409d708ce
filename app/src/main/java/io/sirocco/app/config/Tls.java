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
 * @param engine may come from a module that is missing
 * @param versions "1.2" and "1.3", or one of them
 * @param ciphers JDK names; empty for the default
 * @param clientAuthorities the authorities that sign client certificates; set unless {@link
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

    /** The TLS implementation. */
    public enum Engine {
        /** OpenSSL if the machine has it and it passes a trial, else the JDK. */
        AUTO,
        JDK,
        OPENSSL
    }

    /** Whether clients need a certificate: mutual TLS. */
    public enum ClientCertificates {
        NONE,
        WANTED,
        NEEDED
    }

    /** The response to a server name (SNI) without a certificate. */
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
                        table.choice("engine", Engine.AUTO),
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

    /** Returns all files that it names. */
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

    /** Returns whether there is a certificate. */
    boolean certified() {
        return selfSigned || !certificates.isEmpty();
    }

    private void check(Table table) {
        if (versions.isEmpty()) {
            table.error("versions", "\"versions\" is empty", "remove it for both");
        }
        boolean mutual = clientCertificates != ClientCertificates.NONE;
        if (mutual && !table.sets("client-authorities")) {
            table.error(
                    "client-certificates",
                    "there are no authorities for client certificates",
                    "set client-authorities = \"clients.pem\"");
        }
        if (!mutual && table.sets("client-authorities")) {
            table.warning(
                    "client-authorities",
                    "\"client-authorities\" has no effect",
                    "it needs client-certificates = \"needed\" or \"wanted\"");
        }
    }
}
