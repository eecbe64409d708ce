// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.config.ConfigError;
import io.sirocco.app.config.Tls.Engine;
import io.sirocco.net.Tls;
import io.sirocco.net.TlsEngine;
import io.sirocco.net.TlsEngines;
import io.sirocco.net.TlsPolicy;
import io.sirocco.net.TlsSession;
import io.sirocco.net.tls.JdkEngines;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An engine is there when its module is. */
class EnginesTest {
    private static final ClassLoader WITH = EnginesTest.class.getClassLoader();
    private static final ClassLoader WITHOUT = ClassLoader.getPlatformClassLoader();

    @Test
    void thatOfTheJdkAlwaysIs() {
        assertTrue(Engines.chosen(Engine.JDK, WITHOUT).isEmpty());
    }

    @Test
    void aModuleBringsAnother() {
        assertEquals("openssl", Engines.chosen(Engine.OPENSSL, WITH).orElseThrow().name());
    }

    @Test
    void autoIsOpenSslWhereItIsInstalled() {
        assertEquals("auto", Engines.chosen(Engine.AUTO, WITH).orElseThrow().name());
        assertTrue(Engines.chosen(Engine.AUTO, WITHOUT).isEmpty());
        TlsEngines engines = made(Engines.chosen(Engine.AUTO, WITH).orElseThrow());
        assertEquals(hasOpenSsl(), !(engines instanceof JdkEngines));
    }

    private static boolean hasOpenSsl() {
        try {
            SymbolLookup.libraryLookup("libssl.so.3", Arena.ofAuto());
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Test
    void autoIsTheJdkWhereThereIsNoLibraryOrTheTrialFails() {
        var missing =
                new Kind(
                        policy -> {
                            throw new IllegalArgumentException("no library");
                        });
        assertInstanceOf(JdkEngines.class, made(new Engines.Preferred(missing)));
        var broken = new Broken();
        var failing = new Kind(policy -> protocols -> broken);
        assertInstanceOf(JdkEngines.class, made(new Engines.Preferred(failing)));
        assertTrue(broken.released);
    }

    @Test
    void theEngineOfTheJdkPassesTheTrial() {
        made(
                new Kind(
                        policy -> {
                            TlsEngines engines = JdkEngines.of(policy);
                            TrialHandshake.of(engines);
                            return engines;
                        }));
    }

    @TempDir static Path state; // the certificate is made once

    /** The engines that a kind makes for a self-signed certificate. */
    private TlsEngines made(TlsEngines.Kind kind) {
        var made = new AtomicReference<TlsEngines>();
        var spy =
                new Kind(
                        policy -> {
                            made.set(kind.engines(policy));
                            return made.get();
                        });
        Tls.of(settings -> settings.selfSigned(state).engines(spy));
        return made.get();
    }

    private record Kind(Function<TlsPolicy, TlsEngines> maker) implements TlsEngines.Kind {
        @Override
        public String name() {
            return "test";
        }

        @Override
        public TlsEngines engines(TlsPolicy policy) {
            return maker.apply(policy);
        }
    }

    /** Fails at the first record, as a library of another version may. */
    private static final class Broken implements TlsEngine {
        private boolean released;

        @Override
        public HandshakeStatus status() {
            return HandshakeStatus.NEED_UNWRAP;
        }

        @Override
        public Runnable task() {
            return null;
        }

        @Override
        public SSLEngineResult unwrap(ByteBuffer record, ByteBuffer plain) throws SSLException {
            throw new SSLException("broken");
        }

        @Override
        public SSLEngineResult wrap(ByteBuffer[] texts, int count, ByteBuffer sealed) {
            throw new AssertionError();
        }

        @Override
        public void closeOutbound() {}

        @Override
        public boolean inboundDone() {
            return false;
        }

        @Override
        public boolean outboundDone() {
            return false;
        }

        @Override
        public TlsSession session() {
            throw new AssertionError();
        }

        @Override
        public void release() {
            released = true;
        }
    }

    @Test
    void itsAbsenceIsExplained() {
        var refusal =
                assertThrows(ConfigError.class, () -> Engines.chosen(Engine.OPENSSL, WITHOUT));
        assertEquals(
                "the engine \"openssl\" is not installed; put sirocco-openssl.jar next to the other jars, or write \"jdk\"",
                refusal.getMessage());
    }
}
