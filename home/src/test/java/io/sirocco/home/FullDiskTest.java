// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.home.lua.LuaRuntime;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.home.tftp.Mode;
import io.sirocco.home.tftp.TftpClient;
import io.sirocco.home.tftp.TftpError;
import io.sirocco.home.tftp.TftpException;
import io.sirocco.home.tftp.TftpSettings;
import io.sirocco.net.Loops;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A controller that cannot write to its disk: the system lets its process write no file beyond a
 * length, as a quota does, until the limit is lifted.
 */
@Tag("peers")
class FullDiskTest {
    private static final String[] FULL = {"prlimit", "--fsize=0:"};
    private static final String MAIN =
            """
            CLU = OBJECT:new(0, 0x7f000001, "CLU1")
            STO = OBJECT:new(44, "STO1")
            x = 0
            function checkAlive() return "0d123456" end
            function keep(n) x = n return x end
            STO:execute(4, "x")
            SYSTEM.Init()
            repeat SYSTEM.Loop() until 1 == 2
            """;

    @TempDir Path folder;
    private final CipherKey key = CipherKey.random(new SecureRandom());
    private Loops loops;
    private Path scripts;
    private CluProcess process;
    private CluClient client;

    @BeforeEach
    void start() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/prlimit")), "prlimit (util-linux)");
        loops = Loops.start(settings -> settings.loops(1).name("test"));
        CluRig.write(folder, MAIN, key);
        scripts = folder.resolve("root/a");
        open();
    }

    private void open(String... prefix) throws Exception {
        process = new CluProcess(folder, prefix);
        client = process.client(loops, key);
        await("0d123456", () -> execute("checkAlive()"));
    }

    @AfterEach
    void close() {
        if (loops != null) {
            loops.close();
        }
        if (process != null) {
            process.close();
        }
    }

    /** Lets the process write files of up to so many bytes. */
    private void limit(String bytes) throws Exception {
        var command =
                List.of("prlimit", "--pid", "" + process.pid(), "--fsize=" + bytes + ":unlimited");
        Process prlimit = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(prlimit.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, prlimit.waitFor(), output);
    }

    private String execute(String script) throws Exception {
        return client.execute(script).get(30, TimeUnit.SECONDS);
    }

    private void await(Object expected, Callable<?> actual) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        Object last = actual.call();
        while (!expected.equals(last)) {
            Object value = last;
            assertTrue(
                    System.nanoTime() < end,
                    () -> expected + " is " + value + "\n" + process.output());
            last = actual.call();
        }
    }

    private void write(String name, byte[] content) throws Exception {
        new TftpClient(loops, CluRig.LOOPBACK, TftpSettings.DEFAULTS)
                .write(process.tftp, "a:\\" + name, content, Mode.OCTET)
                .get(60, TimeUnit.SECONDS);
    }

    private List<Path> leftovers() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith("tmp")).toList();
        }
    }

    @Test
    void aKeyThatCannotBeWrittenIsRefusedAndTheOldOneStays() throws Exception {
        CipherKey next = CipherKey.random(new SecureRandom());
        byte[] before = Files.readAllBytes(folder.resolve("keys.json"));
        limit("0");
        for (int i = 0; i < 3; i++) {
            var refused =
                    assertThrows(
                            ExecutionException.class,
                            () -> client.setKey(next).get(30, TimeUnit.SECONDS));
            assertTrue(refused.getMessage().contains("refuses SetKey"), refused::toString);
            assertEquals("2", execute("1+1"), "under the old key");
        }
        assertArrayEquals(before, Files.readAllBytes(folder.resolve("keys.json")));
        assertEquals(List.of(), leftovers());
        assertTrue(process.output().contains("the project key stays as it is"), process::output);
        assertFalse(process.output().contains("\tat "), "no stack trace: " + process.output());
        limit("unlimited");
        client.setKey(next).get(30, TimeUnit.SECONDS);
        assertEquals("2", execute("1+1"), "under the new key");
        assertEquals(next, new KeyFile(folder).open().key());
    }

    @Test
    void anUploadEndsWithDiskFullAndTheOldFileStays() throws Exception {
        Files.writeString(scripts.resolve("USER.LUA"), "x = 'old'");
        client.startTftp().get(30, TimeUnit.SECONDS);
        limit("40000");
        for (int length : new int[] {40_001, 40_512, 300_000}) {
            var thrown =
                    assertThrows(
                            ExecutionException.class, () -> write("USER.LUA", new byte[length]));
            var error = (TftpException) thrown.getCause();
            assertEquals(TftpError.DISK_FULL, error.error(), error.getMessage());
            assertEquals("Disk is full, or cannot be written", error.getMessage());
            assertEquals("x = 'old'", Files.readString(scripts.resolve("USER.LUA")));
            await(List.of(), this::leftovers);
        }
        assertTrue(process.output().contains("TFTP transfer of a:\\USER.LUA"), process::output);
        write("USER.LUA", new byte[40_000]);
        assertEquals(40_000, Files.size(scripts.resolve("USER.LUA")));
        limit("unlimited");
        write("USER.LUA", new byte[300_000]);
        assertEquals(300_000, Files.size(scripts.resolve("USER.LUA")));
    }

    @Test
    void storedValuesAreWrittenWhenThereIsRoomAgain() throws Exception {
        Path file = folder.resolve("storage/storage.json");
        execute("keep(1)");
        await("{\"x\":1}", () -> Files.exists(file) ? Files.readString(file) : "");
        limit("0");
        execute("keep(2)");
        await(true, () -> process.output().contains("storage.json cannot be written"));
        assertEquals("{\"x\":1}", Files.readString(file));
        client.reset().get(30, TimeUnit.SECONDS);
        await("2", () -> execute("x"));
        assertEquals("{\"x\":1}", Files.readString(file));
        limit("unlimited");
        await("{\"x\":2}", () -> Files.readString(file));
        assertEquals(
                1, process.output().lines().filter(l -> l.contains("cannot be written")).count());
        assertEquals(List.of(), leftovers());
    }

    @Test
    void aControllerStartsWhenTheDiskIsFull() throws Exception {
        execute("keep(7)");
        client.reset().get(30, TimeUnit.SECONDS);
        process.kill();
        client.close();
        String other = "{\"sn\":219296854,\"mac\":\"0eaa55aa55aa\"}"; // of another network card
        Files.writeString(scripts.resolve("CONFIG.JSON"), other);
        open(FULL);
        await("7", () -> execute("x"));
        assertEquals(other, Files.readString(scripts.resolve("CONFIG.JSON")));
        assertTrue(process.output().contains("CONFIG.JSON is out of date"), process::output);
        client.startTftp().get(30, TimeUnit.SECONDS);
    }

    /** The emergency script is written when it is needed for the first time. */
    @Test
    void theEmergencyScriptIsWholeOrNotThere() throws Exception {
        Path emergency = scripts.resolve("EMERGNCY.LUA");
        Path main = scripts.resolve("MAIN.LUA");
        Files.delete(main);
        limit("0");
        client.reset().get(30, TimeUnit.SECONDS);
        await("emergency", () -> execute("checkAlive()"));
        assertFalse(Files.exists(emergency));
        limit("unlimited");
        client.reset().get(30, TimeUnit.SECONDS);
        await("emergency", () -> execute("checkAlive()"));
        try (var builtIn = LuaRuntime.class.getResourceAsStream("EMERGNCY.LUA")) {
            assertArrayEquals(builtIn.readAllBytes(), Files.readAllBytes(emergency));
        }
    }
}
