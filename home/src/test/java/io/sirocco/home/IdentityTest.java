// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdentityTest {
    private static final byte[] MAC = HexFormat.of().parseHex("0eaa55aa55aa");

    @TempDir Path folder;

    @Test
    void theSerialNumberIsDrawnOnceAndStays() throws Exception {
        Identity first = Identity.open(folder, MAC, "1.0");
        Identity again = Identity.open(folder, MAC, "1.1");
        assertEquals(first.serial(), again.serial());
        assertTrue(Files.readString(folder.resolve("CONFIG.JSON")).contains("\"fwVer\":\"1.1\""));
    }

    @Test
    void theFilesThatObjectManagerReads() throws Exception {
        Files.writeString(folder.resolve("CONFIG.JSON"), "{\"sn\":219296854}");
        Identity identity = Identity.open(folder, MAC, "1.0");
        assertEquals("0d123456", identity.serialText());
        assertEquals("0eaa55aa55aa", identity.macText());
        assertEquals(
                "00000000\r\n0d123456\r\n0e:aa:55:aa:55:aa\r\n00000003\r\n00510cc0\r\n00000013\r\n00000001\r\n",
                Files.readString(folder.resolve("config.txt")));
        assertEquals(
                "{\"sn\":219296854,\"mac\":\"0eaa55aa55aa\",\"hwType\":19,\"hwVer\":1,\"fwType\":3,"
                        + "\"fwApiVer\":5311680,\"fwVer\":\"1.0\",\"status\":\"OK\",\"tfbusDevices\":[],\"zwaveDevices\":[]}",
                Files.readString(folder.resolve("CONFIG.JSON")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[", "{}", "{\"sn\":\"x\"}", "{\"sn\":-1}", "{\"sn\":4294967296}"})
    void aFileWithoutASerialNumberIsWrittenAnew(String content) throws Exception {
        Path file = Files.writeString(folder.resolve("CONFIG.JSON"), content);
        Identity identity = Identity.open(folder, MAC, "1.0");
        assertTrue(Files.readString(file).contains("\"mac\":\"0eaa55aa55aa\""));
        assertEquals(identity.serial(), Identity.open(folder, MAC, "1.0").serial());
    }

    @Test
    void theSerialNumberOfADamagedFileIsThatOfConfigTxt() throws Exception {
        Identity first = Identity.open(folder, MAC, "1.0");
        Files.writeString(folder.resolve("CONFIG.JSON"), "{}");
        assertEquals(first.serial(), Identity.open(folder, MAC, "1.0").serial());
    }
}
