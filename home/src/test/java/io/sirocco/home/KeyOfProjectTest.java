// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.project.TestProject;
import io.sirocco.home.protocol.Challenge;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.home.protocol.CluCipher;
import io.sirocco.home.protocol.Request;
import io.sirocco.home.protocol.Response;
import io.sirocco.net.Loops;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The key of project.omp: that of the controller, until a client sets another. */
class KeyOfProjectTest {
    @TempDir Path directory;
    private int session; // a new one for each request, also after a restart
    private final CipherKey key = CipherKey.random(new SecureRandom());
    private Loops loops;

    @BeforeEach
    void writeFiles() throws Exception {
        loops = Loops.start(settings -> settings.loops(1).name("test"));
        CluRig.write(directory, CluRig.MAIN, key);
        Files.delete(directory.resolve("keys.json"));
        TestProject.write(directory.resolve("project.omp"), key);
    }

    @AfterEach
    void close() {
        loops.close();
    }

    private Clu start(Consumer<CluSettings> more) throws Exception {
        return Clu.start(
                settings -> {
                    settings.directory(directory).address(CluRig.LOOPBACK).port(0).tftpPort(0);
                    more.accept(settings);
                });
    }

    private String execute(Clu clu, CipherKey with) throws Exception {
        try (var client = CluClient.open(loops, CluRig.LOOPBACK, clu.address(), with)) {
            return client.execute("1+1").get(30, TimeUnit.SECONDS);
        }
    }

    private CipherKey stored() throws Exception {
        return new KeyFile(directory).open().key();
    }

    @Test
    void aControllerThatNobodyHasAdoptedTakesIt() throws Exception {
        try (Clu clu = start(settings -> {})) {
            assertEquals("2", execute(clu, key));
        }
        assertEquals(key, stored());
        CipherKey other = CipherKey.random(new SecureRandom());
        TestProject.write(directory.resolve("project.omp"), other);
        try (Clu clu = start(settings -> {})) {
            assertEquals("2", execute(clu, other), "it follows the project");
        }
    }

    @Test
    void aKeyThatAClientHasSetStays() throws Exception {
        CipherKey set = CipherKey.random(new SecureRandom());
        var request = new Request.SetKey(Challenge.encrypt(new byte[30], set), set);
        try (Clu clu = start(settings -> {});
                var socket = new DatagramSocket(0, CluRig.LOOPBACK)) {
            byte[] sealed = CluRig.seal(key, request);
            socket.send(new DatagramPacket(sealed, sealed.length, clu.address()));
            socket.setSoTimeout(30_000);
            socket.receive(new DatagramPacket(new byte[64], 64)); // once it is stored
            assertEquals("2", execute(clu, set));
        }
        try (Clu clu = start(settings -> {})) {
            assertEquals("2", execute(clu, set));
        }
        assertEquals(set, stored());
    }

    @Test
    void aProjectThatCannotBeReadChangesNothing() throws Exception {
        Files.writeString(directory.resolve("project.omp"), "no archive");
        CipherKey own = stored();
        try (Clu clu = start(settings -> {})) {
            assertEquals("2", execute(clu, own));
        }
        assertEquals(own, stored());
    }

    @Test
    void aFortifiedControllerWithItServesOnlyThatKey() throws Exception {
        try (Clu clu = start(settings -> settings.fortified(true))) {
            assertEquals("2", execute(clu, key));
            assertTrue(clu.pin().matches("[0-9A-F]{8}"));
            assertFortified(clu);
        }
        assertFalse(new KeyFile(directory).open().adopted(), "no client has set the key");
    }

    /** Before, the PIN took over such a controller. */
    @Test
    void itStaysFortifiedWhenTheProjectIsDamagedOrGone() throws Exception {
        start(settings -> settings.fortified(true)).close();
        Files.writeString(directory.resolve("project.omp"), "no archive");
        try (Clu clu = start(settings -> settings.fortified(true))) {
            assertFortified(clu);
        }
        Files.delete(directory.resolve("project.omp"));
        try (Clu clu = start(settings -> settings.fortified(true))) {
            assertFortified(clu);
        }
        assertEquals(key, stored());
    }

    @Test
    void aFortifiedControllerWithoutAKeyDoesNotStartWithADamagedProject() throws Exception {
        Files.writeString(directory.resolve("project.omp"), "no archive");
        var refused =
                assertThrows(IOException.class, () -> start(settings -> settings.fortified(true)));
        assertTrue(refused.getMessage().contains("project.omp"), refused.getMessage());
        assertTrue(refused.getMessage().contains("start without --fortified"));
    }

    @Test
    void withoutAnyProjectKeyItIsNotFortifiedYet() throws Exception {
        Files.delete(directory.resolve("project.omp"));
        try (Clu clu = start(settings -> settings.fortified(true))) {
            assertFalse(clu.fortified());
        }
        try (Clu clu = start(settings -> {})) {
            assertFalse(clu.fortified());
        }
    }

    /** One that is not fortified responds to garbage under its key before it does to the script. */
    private void assertFortified(Clu clu) throws Exception {
        assertTrue(clu.fortified());
        byte[] garbage = "no request at all".getBytes(StandardCharsets.US_ASCII);
        byte[] sealed = new byte[CluCipher.encryptedLength(garbage.length)];
        new CluCipher(key).encrypt(garbage, 0, garbage.length, sealed);
        byte[] script = CluRig.seal(key, new Request.Lua(CluRig.LOOPBACK, ++session, "1+1"));
        try (var socket = new DatagramSocket(0, CluRig.LOOPBACK)) {
            socket.send(new DatagramPacket(sealed, sealed.length, clu.address()));
            socket.send(new DatagramPacket(script, script.length, clu.address()));
            socket.setSoTimeout(30_000);
            var first = new DatagramPacket(new byte[512], 512);
            socket.receive(first);
            byte[] bytes = Arrays.copyOf(first.getData(), first.getLength());
            assertInstanceOf(Response.Lua.class, CluRig.open(key, bytes));
        }
    }
}
