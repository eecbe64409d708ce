// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.util.function.Consumer;

/**
 * The server's side of TLS: certificates, versions, and what is asked of clients. A listener refers
 * to it with {@link Listener.Options#tls}; several may refer to the same.
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
     * Reads the files that {@code configure} names.
     *
     * @throws IllegalArgumentException when one of them, or a setting, cannot be used; it says
     *     which and why
     */
    public static Tls of(Consumer<TlsSettings> configure) {
        return new Tls(configure);
    }

    /**
     * Puts other settings in the place of all that were set before. They hold for connections that
     * begin later; those that are open go on with what they began with. Sessions are not resumed
     * across the change.
     *
     * @throws IllegalArgumentException as {@link #of} does; then all stays as it was
     */
    public synchronized void replace(Consumer<TlsSettings> configure) {
        var settings = new TlsSettings();
        configure.accept(settings);
        context = settings.freeze();
        this.configure = configure;
    }

    /**
     * Reads the same files again: certificates that were renewed, for instance. Otherwise as {@link
     * #replace}.
     */
    public synchronized void reload() {
        replace(configure);
    }

    /** What holds for a connection that begins now. */
    TlsContext context() {
        return context;
    }
}
