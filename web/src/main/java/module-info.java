// SPDX-License-Identifier: Apache-2.0

/** Handlers and filters of a web server: files, compression, access rules, logs, metrics. */
module io.sirocco.web {
    requires transitive io.sirocco.http;
    requires com.aayushatharva.brotli4j;
    requires com.github.benmanes.caffeine;
    requires com.github.luben.zstd_jni;
    requires spring.security.crypto; // bcrypt

    exports io.sirocco.web.access;
    exports io.sirocco.web.cache;
    exports io.sirocco.web.compress;
    exports io.sirocco.web.files;
    exports io.sirocco.web.log;
    exports io.sirocco.web.metrics;
    exports io.sirocco.web.proxy;
}
