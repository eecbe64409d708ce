// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

/**
 * One {@code [[listen]]}. Immutable.
 *
 * @param tls whether connections begin with a TLS handshake
 * @param redirectToHttps the port that everything is redirected to; 0 for none
 * @param backlog connections that the kernel keeps for us
 */
public record Listen(Address address, boolean tls, int redirectToHttps, int backlog) {
    static final String USUAL = "127.0.0.1:8080";

    static Listen read(Table table) {
        var listen =
                new Listen(
                        table.value(
                                "address",
                                Node.of(USUAL),
                                Values.text(text -> Address.parse(text, table.folder()))),
                        table.flag("tls", false),
                        table.whole("redirect-to-https", 0, 0, 65_535),
                        table.whole("backlog", 4096, 1, 1 << 20));
        table.end();
        if (listen.tls && listen.redirectToHttps != 0) {
            table.error(
                    "redirect-to-https",
                    "an address with tls = true is HTTPS already",
                    "redirect from an address without it");
        }
        return listen;
    }
}
