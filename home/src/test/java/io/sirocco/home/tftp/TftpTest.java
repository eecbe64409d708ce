// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.tftp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.Rig;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The server and the client over real sockets: files, names, confinement, limits. */
class TftpTest {
    private static final InetAddress LOCAL = InetAddress.ofLiteral("127.0.0.1");

    @TempDir Path folder;
    private Path root;
    private Path drive;
    private Rig rig;
    private TftpServer server;
    private TftpClient client;

    @BeforeEach
    void start() throws IOException {
        root = folder.resolve("root");
        drive = Files.createDirectories(root.resolve("a"));
        Files.writeString(drive.resolve("MAIN.LUA"), "main");
        Files.writeString(drive.resolve("CONFIG.JSON"), "{}");
        Files.writeString(folder.resolve("keys.json"), "secret");
        rig = new Rig(TransportKind.AUTO);
        rig.start(s -> s.loops(2));
        start(TftpSettings.DEFAULTS);
    }

    private void start(TftpSettings settings) throws IOException {
        server = TftpServer.start(rig.loops(), LOCAL, 0, root, settings);
        server.admit(LOCAL);
        client = new TftpClient(rig.loops(), LOCAL, settings);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        rig.close();
        assertTrue(rig.failures.isEmpty(), rig.failures::toString);
        assertTrue(leftovers().isEmpty(), () -> leftovers().toString());
    }

    private List<Path> leftovers() {
        try (var files = Files.walk(root)) {
            return files.filter(Upload::isTemporary).toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private byte[] read(String file) {
        return Rig.get(client.read(server.address(), file, Mode.OCTET));
    }

    private void write(String file, byte[] content) {
        Rig.get(client.write(server.address(), file, content, Mode.OCTET));
    }

    /** Returns the error, whose text must not tell where the files are. */
    private TftpException error(CompletableFuture<?> future) {
        var thrown = assertThrows(CompletionException.class, () -> Rig.get(future));
        var error = assertInstanceOf(TftpException.class, thrown.getCause());
        assertFalse(error.getMessage().contains(folder.getFileName().toString()), error::toString);
        assertFalse(error.getMessage().contains("/"), error::toString);
        return error;
    }

    private void readFails(TftpError code, String text, String file) {
        TftpException error = error(client.read(server.address(), file, Mode.OCTET));
        assertEquals(code + " " + text, error.error() + " " + error.getMessage(), file);
    }

    private void writeFails(TftpError code, String text, String file) {
        TftpException error = error(client.write(server.address(), file, new byte[9], Mode.OCTET));
        assertEquals(code + " " + text, error.error() + " " + error.getMessage(), file);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 511, 512, 513, 1023, 1024, 1025, 100_000})
    void everySizeGoesThereAndBack(int size) throws IOException {
        byte[] content = Rig.pattern(size);
        write("a:\\USER.LUA", content);
        assertArrayEquals(content, Files.readAllBytes(drive.resolve("USER.LUA")));
        assertArrayEquals(content, read("a:\\USER.LUA"));
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void textGoesThereAndBack(Mode mode) throws IOException {
        var random = new Random(1);
        var text = new StringBuilder();
        for (int i = 0; i < 5_000; i++) {
            text.append("ab\r\n\0".charAt(random.nextInt(5)));
        }
        byte[] content = text.toString().getBytes(UTF_8);
        Rig.get(client.write(server.address(), "a/T", content, mode));
        assertArrayEquals(content, Files.readAllBytes(drive.resolve("T")));
        assertArrayEquals(content, Rig.get(client.read(server.address(), "a/T", mode)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a:\\MAIN.LUA",
                "a:/MAIN.LUA",
                "/a/MAIN.LUA",
                "a/MAIN.LUA",
                "a:MAIN.LUA",
                "a:\\\\MAIN.LUA",
                "a:\\.\\MAIN.LUA",
                "a:\\x\\..\\MAIN.LUA"
            })
    void namesOfOneFile(String name) {
        assertEquals("main", new String(read(name), UTF_8));
    }

    /** Defect: the reference tells the cases of letters apart, which Object Manager does not. */
    @Test
    void anotherCaseIsTheSameFile() throws IOException {
        assertEquals("{}", new String(read("A:\\config.json"), UTF_8));
        write("A:\\main.lua", "new".getBytes(UTF_8));
        assertEquals("new", Files.readString(drive.resolve("MAIN.LUA")));
        assertFalse(Files.exists(drive.resolve("main.lua")));
        Files.writeString(drive.resolve("main.lua"), "exact");
        assertEquals("exact", new String(read("a:\\main.lua"), UTF_8));
        assertEquals("new", new String(read("a:\\MAIN.LUA"), UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "..\\..\\keys.json",
                "../keys.json",
                "a:\\..\\..\\keys.json",
                "/../keys.json",
                "a/x/../../../keys.json",
                ".."
            })
    void nothingOutsideOfTheRoot(String name) {
        String text = "Cannot access files outside of TFTP server root";
        readFails(TftpError.ACCESS_VIOLATION, text, name);
        writeFails(TftpError.ACCESS_VIOLATION, text, name);
        assertEquals(List.of(), leftovers());
    }

    @Test
    void noLinkLeadsOutside() throws IOException {
        Files.createSymbolicLink(drive.resolve("KEYS"), folder.resolve("keys.json"));
        Files.createSymbolicLink(drive.resolve("UP"), Path.of("../.."));
        Files.createSymbolicLink(root.resolve("b"), folder);
        Files.createSymbolicLink(drive.resolve("NOWHERE"), folder.resolve("new"));
        String text = "Cannot access files outside of TFTP server root";
        for (String name : new String[] {"a:\\KEYS", "a:\\UP\\keys.json", "b:\\keys.json"}) {
            readFails(TftpError.ACCESS_VIOLATION, text, name);
            writeFails(TftpError.ACCESS_VIOLATION, text, name);
        }
        writeFails(TftpError.ACCESS_VIOLATION, text, "b:\\new");
        writeFails(TftpError.ACCESS_VIOLATION, text, "a:\\NOWHERE");
        assertFalse(Files.exists(folder.resolve("new")));
        assertEquals("secret", Files.readString(folder.resolve("keys.json")));

        Files.createSymbolicLink(drive.resolve("LINK"), Path.of("MAIN.LUA"));
        assertEquals("main", new String(read("a:\\LINK"), UTF_8));
        write("a:\\LINK", "by a link".getBytes(UTF_8));
        assertEquals("by a link", Files.readString(drive.resolve("MAIN.LUA")));
        assertTrue(Files.isSymbolicLink(drive.resolve("LINK")));
    }

    /** Defect: the reference sends its own path. */
    @Test
    void errorsTellNoPath() throws IOException {
        readFails(TftpError.FILE_NOT_FOUND, "File not found", "a:\\NONE");
        readFails(TftpError.FILE_NOT_FOUND, "File not found", "p:\\meas.bin");
        readFails(TftpError.FILE_NOT_FOUND, "File not found", "a:\\");
        readFails(TftpError.FILE_NOT_FOUND, "File not found", "a:\\MAIN.LUA\\x");
        readFails(TftpError.FILE_NOT_FOUND, "File not found", "x".repeat(400));
        writeFails(TftpError.NOT_DEFINED, "No such folder", "p:\\meas.bin");
        writeFails(TftpError.NOT_DEFINED, "No such folder", "a:\\MAIN.LUA\\x");
        Files.createDirectory(drive.resolve("DIR"));
        writeFails(TftpError.ACCESS_VIOLATION, "Not a file", "a:\\DIR");
        writeFails(TftpError.NOT_DEFINED, "Internal error", "a:\\" + "x".repeat(400));
    }

    /** Scripts contain the password of the broker. */
    @Test
    void anUploadMakesNoFilePublic() throws IOException {
        Path main = drive.resolve("MAIN.LUA");
        for (String permissions : new String[] {"rw-------", "rw-r--r--"}) {
            Files.setPosixFilePermissions(main, PosixFilePermissions.fromString(permissions));
            write("a:\\MAIN.LUA", "new".getBytes(UTF_8));
            assertEquals(
                    permissions,
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(main)));
        }
        write("a:\\OTHER.LUA", "new".getBytes(UTF_8));
        assertEquals(
                "rw-------",
                PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(drive.resolve("OTHER.LUA"))));
    }

    /** Defect 9: any file could be replaced; without a serial number no controller started. */
    @Test
    void theIdentityIsReadOnly() throws IOException {
        writeFails(TftpError.ACCESS_VIOLATION, "File is read-only", "a:\\CONFIG.JSON");
        writeFails(TftpError.ACCESS_VIOLATION, "File is read-only", "A:/Config.TXT");
        assertEquals("{}", new String(read("a:\\CONFIG.JSON"), UTF_8));
        write("a:\\MAIN.LUA", "x".getBytes(UTF_8));
    }

    /** Defect 9: the server was open to anybody. */
    @Test
    void onlyTheAdmittedHostIsServed() throws IOException {
        var other =
                new TftpClient(
                        rig.loops(), InetAddress.ofLiteral("127.0.0.2"), TftpSettings.DEFAULTS);
        BiFunction<TftpClient, String, TftpError> refusal =
                (from, name) -> error(from.read(server.address(), name, Mode.OCTET)).error();
        assertEquals(TftpError.ACCESS_VIOLATION, refusal.apply(other, "a:\\MAIN.LUA"));
        assertEquals("main", new String(read("a:\\MAIN.LUA"), UTF_8));
        assertTrue(server.admit(InetAddress.ofLiteral("127.0.0.2")));
        assertEquals(TftpError.ACCESS_VIOLATION, refusal.apply(client, "a:\\MAIN.LUA"));
        Rig.get(other.read(server.address(), "a:\\MAIN.LUA", Mode.OCTET));
    }

    @Test
    void aFileThatIsTooLongIsRefused() throws IOException {
        server.close();
        start(TftpSettings.DEFAULTS.maxFileSize(1_000));
        write("a:\\MAIN.LUA", new byte[1_000]);
        TftpException error =
                error(client.write(server.address(), "a:\\MAIN.LUA", new byte[1_001], Mode.OCTET));
        assertEquals("DISK_FULL File is too long", error.error() + " " + error.getMessage());
        assertEquals(1_000, Files.size(drive.resolve("MAIN.LUA")));
    }

    /** MAIN.LUA has 4 bytes at first, CONFIG.JSON 2. */
    @Test
    void uploadsMayFillTheRootUpToItsQuota() throws IOException {
        server.close();
        start(TftpSettings.DEFAULTS.quota(30_000, 4));
        write("a:\\MAIN.LUA", new byte[20_000]);
        write("a:\\OM.LUA", new byte[9_998]);
        TftpException error =
                error(client.write(server.address(), "a:\\USER.LUA", new byte[1], Mode.OCTET));
        assertEquals(
                "DISK_FULL Allocation exceeded: the controller keeps up to 30000 bytes of files",
                error.error() + " " + error.getMessage());
        assertEquals(
                TftpError.DISK_FULL,
                error(client.write(server.address(), "a:\\MAIN.LUA", new byte[20_001], Mode.OCTET))
                        .error());
        assertEquals(20_000, Files.size(drive.resolve("MAIN.LUA")), "it is as it was");
        write("a:\\MAIN.LUA", new byte[19_000]);
        write("a:\\USER.LUA", new byte[1_000]);
        error = error(client.write(server.address(), "a:\\X", new byte[0], Mode.OCTET));
        assertEquals(
                "DISK_FULL Allocation exceeded: the controller keeps up to 4 files",
                error.error() + " " + error.getMessage());
    }

    @Test
    void aRootThatIsOverItsQuotaTakesFilesThatAreNotLonger() throws IOException {
        server.close();
        start(TftpSettings.DEFAULTS.quota(3, 1));
        write("a:\\MAIN.LUA", new byte[4]);
        assertEquals(
                TftpError.DISK_FULL,
                error(client.write(server.address(), "a:\\MAIN.LUA", new byte[5], Mode.OCTET))
                        .error());
    }

    @Test
    void afterAClosePortIsFreeAndNobodyIsServed() throws IOException {
        InetSocketAddress address = server.address();
        assertFalse(server.ended().isDone());
        server.close();
        server.close();
        assertTrue(server.ended().isDone());
        assertFalse(server.admit(LOCAL));
        server =
                TftpServer.start(
                        rig.loops(), LOCAL, address.getPort(), root, TftpSettings.DEFAULTS);
        server.admit(LOCAL);
        assertEquals("main", new String(read("a:\\MAIN.LUA"), UTF_8));
    }

    @Test
    void aStartDeletesWhatACrashLeft() throws IOException {
        server.close();
        Files.writeString(drive.resolve(".tftp-12ab.tmp"), "half");
        start(TftpSettings.DEFAULTS);
        assertEquals(List.of(), leftovers());
    }

    @Test
    void nothingIsLeftOpen() throws IOException {
        write("a:\\USER.LUA", new byte[5_000]);
        int before = Rig.openDescriptors();
        for (int i = 0; i < 40; i++) {
            read("a:\\USER.LUA");
            error(client.read(server.address(), "a:\\NONE", Mode.OCTET));
        }
        server.close();
        rig.close();
        assertTrue(Rig.openDescriptors() <= before, () -> Rig.openDescriptors() + " > " + before);
    }

    /** 65,535 is followed by 0. */
    @Tag("heavy")
    @Test
    void seventyThousandBlocks() throws IOException {
        server.close();
        start(TftpSettings.DEFAULTS.maxFileSize(64 << 20));
        byte[] content = Rig.pattern(70_000 * 512 + 5);
        client.write(server.address(), "a:\\BIG", content, Mode.OCTET)
                .orTimeout(2, TimeUnit.MINUTES)
                .join();
        assertArrayEquals(content, Files.readAllBytes(drive.resolve("BIG")));
        assertArrayEquals(
                content,
                client.read(server.address(), "a:\\BIG", Mode.OCTET)
                        .orTimeout(2, TimeUnit.MINUTES)
                        .join());
    }
}
