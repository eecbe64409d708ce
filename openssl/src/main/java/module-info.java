// SPDX-License-Identifier: Apache-2.0

/** TLS by the OpenSSL of the machine. */
module io.sirocco.openssl {
    requires transitive io.sirocco.net;

    exports io.sirocco.openssl;

    provides io.sirocco.net.TlsEngines.Kind with
            io.sirocco.openssl.OpenSsl;
}
