// SPDX-License-Identifier: Apache-2.0
package io.sirocco.openssl;

import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.sirocco.net.Tls;
import io.sirocco.net.TlsEngines;
import io.sirocco.net.TlsPolicy;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The keys of tickets live in a context, and are renewed with it. */
@Tag("peers")
class RenewalTest {
    @TempDir Path folder;

    private TlsPolicy policy() {
        var policy = new CompletableFuture<TlsPolicy>();
        TlsEngines.Kind asked =
                new TlsEngines.Kind() {
                    @Override
                    public String name() {
                        return "asked";
                    }

                    @Override
                    public TlsEngines engines(TlsPolicy own) {
                        policy.complete(own);
                        return new OpenSsl().engines(own);
                    }
                };
        Tls.of(s -> s.selfSigned(folder).engines(asked));
        return policy.join();
    }

    @Test
    void aContextThatIsOldIsReplaced() {
        var engines = new OpenSslEngines(policy(), 0);
        assertNotSame(engines.contexts(List.of()), engines.contexts(List.of()));
    }

    @Test
    void oneThatIsNotGoesOn() {
        var engines = new OpenSslEngines(policy(), Long.MAX_VALUE);
        assertSame(engines.contexts(List.of()), engines.contexts(List.of()));
        assertNotSame(engines.contexts(List.of()), engines.contexts(List.of("h2")));
    }

    @Test
    @Timeout(60)
    void oneThatNobodyUsesIsFreed() {
        var engines = new OpenSslEngines(policy(), 0);
        var old = new WeakReference<>(engines.contexts(List.of("h2")));
        engines.contexts(List.of("h2"));
        while (old.get() != null) {
            System.gc();
        }
    }
}
