// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.List;
import java.util.Optional;

/**
 * One {@code [[listen]]}. Immutable.
 *
 * @param tls whether connections begin with a TLS handshake
 * @param own the TLS settings of this address alone; empty: those of {@code [tls]}
 * @param redirectToHttps the port that every request is redirected to; 0 for none
 * @param proxyProtocol whether connections begin with a header of the PROXY protocol
 * @param backlog connections that the kernel queues
 */
public record Listen(
        Address address,
        boolean tls,
        Optional<Tls> own,
        int redirectToHttps,
        boolean proxyProtocol,
        int backlog) {
    static final String USUAL = "127.0.0.1:8080";

    static Listen read(Table table) {
        Address address =
                table.value(
                        "address",
                        Node.of(USUAL),
                        Values.text(text -> Address.parse(text, table.folder())));
        Optional<Tls> own = table.isTable("tls") ? Optional.of(own(table)) : Optional.empty();
        var listen =
                new Listen(
                        address,
                        own.isPresent() || table.flag("tls", false),
                        own,
                        table.whole("redirect-to-https", 0, 0, 65_535),
                        table.flag("proxy-protocol", false),
                        table.whole("backlog", 4096, 1, 1 << 20));
        table.end();
        if (listen.tls && listen.redirectToHttps != 0) {
            table.error(
                    "redirect-to-https",
                    "this address has tls = true, so it is HTTPS already",
                    "set it in the [[listen]] for plain HTTP");
        }
        return listen;
    }

    private static Tls own(Table listen) {
        Table table = listen.table("tls", "[listen.tls]");
        Tls tls = Tls.read(table, "[[listen.tls.certificate]]");
        table.end();
        return tls;
    }

    /** Adds the changed options of {@code next} that take effect only after a restart. */
    void needsStart(Listen next, List<String> options) {
        if (tls != next.tls) options.add("tls of " + address);
        if (proxyProtocol != next.proxyProtocol) options.add("proxy-protocol of " + address);
        if (backlog != next.backlog) options.add("backlog of " + address);
    }

    /** Returns the TLS settings of this address; {@code shared} are those of {@code [tls]}. */
    public Tls tls(Tls shared) {
        return own.orElse(shared);
    }
}
