// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class JvmOptionsTest {
    @Test
    void withBothThereIsNothingToSay() {
        assertEquals("", new JvmOptions("ALL-UNNAMED", true, true).advice());
    }

    @Test
    void theTestsHaveBoth() {
        assertEquals(new JvmOptions("ALL-UNNAMED", true, true), JvmOptions.ofThisJvm());
    }

    @Test
    void onTheClassPathAllUnnamedModulesAreNamedAndTheManifestToo() {
        String advice = new JvmOptions("ALL-UNNAMED", false, false).advice();
        assertTrue(
                advice.startsWith(
                        "start the JVM with --add-opens=java.base/java.lang=ALL-UNNAMED"
                                + " --enable-native-access=ALL-UNNAMED (for java -jar"),
                advice);
        assertTrue(
                advice.contains("Add-Opens: java.base/java.lang and Enable-Native-Access: ALL-"),
                advice);
        assertTrue(advice.contains("virtual threads run on the JDK's scheduler"), advice);
    }

    @Test
    void onTheModulePathTheModuleIsNamedAndNoManifestWhichTheJvmWouldNotRead() {
        String advice = new JvmOptions("io.sirocco.net", false, false).advice();
        assertTrue(
                advice.startsWith(
                        "start the JVM with --add-opens=java.base/java.lang=io.sirocco.net"
                                + " --enable-native-access=io.sirocco.net; "),
                advice);
        assertFalse(advice.contains("manifest"), advice);
    }

    @Test
    void onlyTheOptionThatIsMissingIsNamed() {
        String opens = new JvmOptions("ALL-UNNAMED", false, true).advice();
        assertTrue(opens.contains("--add-opens=java.base/java.lang=ALL-UNNAMED ("), opens);
        assertFalse(opens.contains("ative"), opens);
        String calls = new JvmOptions("ALL-UNNAMED", true, false).advice();
        assertTrue(calls.contains("with --enable-native-access=ALL-UNNAMED ("), calls);
        assertFalse(calls.contains("pens"), calls);
        assertFalse(calls.contains("scheduler"), calls);
    }
}
