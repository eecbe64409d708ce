// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.protocol.CipherKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyFileTest {
    @TempDir Path folder;

    @Test
    void aNewControllerHasARandomPinAndKeyThatStay() throws Exception {
        KeyFile.Content first = new KeyFile(folder).open();
        KeyFile.Content again = new KeyFile(folder).open();
        assertTrue(first.pin().matches("[0-9A-F]{8}"), first.pin());
        assertFalse(first.adopted());
        assertEquals(first.pin(), again.pin());
        assertEquals(first.key(), again.key());
        assertFalse(again.adopted());
    }

    @Test
    void aProjectKeyIsKept() throws Exception {
        var file = new KeyFile(folder);
        CipherKey key = CipherKey.random(new SecureRandom());
        file.write(file.open().withProjectKey(key));
        KeyFile.Content read = file.open();
        assertEquals(key, read.key());
        assertTrue(read.adopted());
    }

    @Test
    void onlyTheOwnerMayReadTheKeys() throws Exception {
        new KeyFile(folder).open();
        assertEquals("rw-------", permissions());
        new KeyFile(folder).write(new KeyFile(folder).open());
        assertEquals("rw-------", permissions());
    }

    /** Defect of the reference: its file is readable by all users, and so is a copy of it. */
    @Test
    void aCopyThatOthersMayReadBecomesPrivate() throws Exception {
        KeyFile.Content keys = new KeyFile(folder).open();
        for (String open : new String[] {"rw-r--r--", "rw-rw----", "rwxrwxrwx"}) {
            Files.setPosixFilePermissions(
                    folder.resolve("keys.json"), PosixFilePermissions.fromString(open));
            assertEquals(keys, new KeyFile(folder).open());
            assertEquals("rw-------", permissions());
        }
    }

    private String permissions() throws IOException {
        return PosixFilePermissions.toString(
                Files.getPosixFilePermissions(folder.resolve("keys.json")));
    }

    @Test
    void theFileOfTheReferenceIsRead() throws Exception {
        Files.writeString(
                folder.resolve("keys.json"),
                """
                {"key":"AAECAwQFBgcICQoLDA0ODw==","iv":"EBESExQVFhcYGRobHB0eHw==",
                 "defaultIV":"ICEiIyQlJicoKSorLC0uLw==","pin":"MDAwMDAwMDA="}""");
        KeyFile.Content read = new KeyFile(folder).open();
        assertEquals("00000000", read.pin());
        assertEquals(15, read.key().key().at(15));
        assertEquals(31, read.key().iv().at(15));
        assertTrue(read.adopted());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "no JSON",
                "{}",
                "{\"key\":\"c2VjcmV0\",\"iv\":\"\",\"pin\":\"\"}",
                "{\"key\":5,\"iv\":\"\",\"pin\":\"\"}",
                "{\"key\":\"!!!\",\"iv\":\"\",\"pin\":\"\"}"
            })
    void aDamagedFileIsAnErrorThatSaysWhatToDoAndIsKept(String content) throws Exception {
        Path file = Files.writeString(folder.resolve("keys.json"), content);
        var error = assertThrows(IOException.class, () -> new KeyFile(folder).open());
        assertTrue(error.getMessage().startsWith(file + " is damaged: "), error.getMessage());
        assertTrue(error.getMessage().contains("Restore it from a backup"), error.getMessage());
        assertFalse(error.getMessage().contains("c2VjcmV0"), error.getMessage());
        assertEquals(content, Files.readString(file));
    }

    @Test
    void noKeyIsInTheTextOfTheContent() throws Exception {
        KeyFile.Content keys = new KeyFile(folder).open();
        assertFalse(keys.toString().contains(keys.pin()));
    }
}
