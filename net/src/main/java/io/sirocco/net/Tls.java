// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Consumer;

/**
 * The server's side of TLS: certificates, versions, and requirements for clients. Pass it to
 * listeners with {@link Listener.Options#tls}; several may share one.
 *
 * <pre>{@code
 * Tls tls = Tls.of(settings -> settings.certificate(Path.of("chain.pem"), Path.of("key.pem")));
 * }</pre>
 *
 * <p>Any thread.
 */
public final class Tls {
    private Consumer<TlsSettings> configure; // with the lock held
    private volatile TlsContext context;

    private Tls(Consumer<TlsSettings> configure) {
        replace(configure);
    }

    /**
     * Returns TLS with these settings, and reads the files that they name.
     *
     * @throws IllegalArgumentException when a file or a setting cannot be used; the message says
     *     which and why
     */
    public static Tls of(Consumer<TlsSettings> configure) {
        return new Tls(configure);
    }

    /**
     * Replaces all settings. The new ones apply to connections that begin later; open connections
     * keep theirs. Sessions are not resumed across the change.
     *
     * @throws IllegalArgumentException as {@link #of} does; then nothing changes
     */
    public synchronized void replace(Consumer<TlsSettings> configure) {
        var settings = new TlsSettings();
        configure.accept(settings);
        context = settings.freeze();
        this.configure = configure;
    }

    /**
     * Reads the same files again, after certificates were renewed for instance. Otherwise like
     * {@link #replace}.
     */
    public synchronized void reload() {
        replace(configure);
    }

    /**
     * Returns the certificates of connections that begin now, without those of authorities that
     * lead to them, in the order in which they were added.
     */
    public List<X509Certificate> certificates() {
        return context.credentials().all().stream().map(each -> each.chain().getFirst()).toList();
    }

    /** Returns the settings of a connection that begins now. */
    TlsContext context() {
        return context;
    }
}
