// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.config.ConfigError;
import io.sirocco.app.config.Tls.Engine;
import org.junit.jupiter.api.Test;

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
    void itsAbsenceIsExplained() {
        var refusal =
                assertThrows(ConfigError.class, () -> Engines.chosen(Engine.OPENSSL, WITHOUT));
        assertEquals(
                "the engine \"openssl\" is not installed; put sirocco-openssl.jar next to the other jars, or write \"jdk\"",
                refusal.getMessage());
    }
}
