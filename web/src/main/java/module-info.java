// SPDX-License-Identifier: Apache-2.0

/** Handlers and filters of a web server: files, compression, access rules, logs. */
module io.sirocco.web {
    requires transitive io.sirocco.http;
    requires spring.security.crypto; // bcrypt

    exports io.sirocco.web.access;
    exports io.sirocco.web.log;
    exports io.sirocco.web.metrics;
}
