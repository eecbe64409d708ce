// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.sirocco.home.protocol.CipherKey;
import io.sirocco.home.tftp.Mode;
import io.sirocco.home.tftp.TftpClient;
import io.sirocco.home.tftp.TftpSettings;
import io.sirocco.net.Loops;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.random.RandomGenerator.SplittableGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A controller is killed again and again while clients set keys, upload scripts, change stored
 * values and reset. Each time its folder has whatever was acknowledged, and only whole files.
 */
class PowerLossTest {
    private static final int[] SIZES = {0, 137, 5_000, 60_000}; // of the padding of scripts
    private static final int MAX_LEFT = 10;

    /** Keeps what the test compares; the rest is as Object Manager generates it. */
    private static final String MAIN =
            """
            mainVersion = %d
            CLU = OBJECT:new(0, 0x7f000001, "CLU1")
            STO = OBJECT:new(44, "STO1")
            v = {}
            function checkAlive() return "0d123456" end
            function bump(n)
                local t = {}
                for i = 1, 300 do t[i] = n end
                v = t
                return n
            end
            require "user"
            STO:execute(4, "v")
            SYSTEM.Init()
            ready = true
            repeat SYSTEM.Loop() until 1 == 2
            """;

    @TempDir Path temporary;
    private Path folder;
    private Optional<FailingDisk> disk = Optional.empty();
    private final long seed = System.nanoTime();
    private final SplittableGenerator random =
            RandomGeneratorFactory.<SplittableGenerator>of("L64X128MixRandom").create(seed);
    private final SecureRandom secure = new SecureRandom();
    private Loops loops;
    private final Script main = new Script("MAIN.LUA", MAIN);
    private final Script user = new Script("USER.LUA", "userVersion = %d\n");
    private byte[] config;
    private byte[] configText;

    private volatile CipherKey key = CipherKey.random(secure); // the last that was acknowledged
    private volatile CipherKey keyUnderWay; // null for none
    private volatile long value; // the last that was sent
    private volatile long saved; // the last one before a reset that was acknowledged
    private volatile boolean failing; // the disk
    private volatile int keysSet;
    private volatile int valuesSet;
    private volatile int resets;

    /** A script in versions that count up. */
    private final class Script {
        final String name;
        final String body;
        final RandomGenerator paddings = random.split();
        volatile int sent;
        volatile int acknowledged;
        volatile int uploads; // acknowledged ones

        Script(String name, String body) {
            this.name = name;
            this.body = body;
        }

        byte[] next() {
            String text = body.formatted(++sent) + "-- ";
            text += "x".repeat(SIZES[paddings.nextInt(SIZES.length)] + paddings.nextInt(4)) + "\n";
            return (text + "-- checksum " + checksum(text)).getBytes(UTF_8);
        }

        /** Returns the version in the folder. */
        int check() throws IOException {
            String text = Files.readString(folder.resolve("root/a").resolve(name));
            int end = text.lastIndexOf("-- checksum ");
            assertTrue(end > 0, () -> name + " is cut off: " + text.length());
            assertEquals("-- checksum " + checksum(text.substring(0, end)), text.substring(end));
            int version = Integer.parseInt(text.replaceFirst("(?s)\\w+ = (\\d+).*", "$1"));
            assertTrue(
                    version >= acknowledged && version <= sent,
                    () -> name + ": " + acknowledged + " <= " + version + " <= " + sent);
            acknowledged = version;
            return version;
        }
    }

    private static String checksum(String text) {
        var crc = new CRC32();
        crc.update(text.getBytes(UTF_8));
        return Long.toHexString(crc.getValue());
    }

    @BeforeEach
    void open() throws IOException {
        loops = Loops.start(settings -> settings.loops(1).name("test"));
        write();
    }

    private void write() throws IOException {
        folder = temporary.resolve("runtime");
        CluRig.write(folder, "", key);
        Path scripts = folder.resolve("root/a");
        Files.write(scripts.resolve("MAIN.LUA"), main.next());
        Files.write(scripts.resolve("USER.LUA"), user.next());
    }

    @AfterEach
    void close() {
        loops.close();
    }

    @Tag("peers")
    @Test
    void afterAKillEachFileIsTheOldOneOrTheNewOne() throws Exception {
        kill(2, 300_000);
    }

    @Test
    @Tag("heavy")
    @Timeout(3_600)
    void after200KillsEachFileIsTheOldOneOrTheNewOne() throws Exception {
        kill(200, 1_500_000);
        System.out.printf(
                "200 kills; acknowledged: %d keys, %d values, %d resets, %d + %d uploads%n",
                keysSet, valuesSet, resets, main.uploads, user.uploads);
    }

    /** Unlike after a kill, what the system has not written yet is lost. */
    @Test
    @Tag("heavy")
    @Timeout(3_600)
    void after100PowerFailuresEachFileIsTheOldOneOrTheNewOne() throws Exception {
        try (FailingDisk mounted = mount()) {
            disk = Optional.of(mounted);
            write();
            new ProcessBuilder("sync").start().waitFor(); // it begins after all this
            kill(100, 1_500_000);
            System.out.printf(
                    "100 power failures; acknowledged: %d keys, %d values, %d resets, %d + %d"
                            + " uploads%n",
                    keysSet, valuesSet, resets, main.uploads, user.uploads);
        }
    }

    private FailingDisk mount() throws InterruptedException {
        try {
            return new FailingDisk(temporary.resolve("image"), folder);
        } catch (IOException e) {
            return abort("needs root and loop devices: " + e.getMessage());
        }
    }

    private void kill(int rounds, int maxMicros) throws Exception {
        System.out.println("PowerLossTest: seed " + seed);
        for (int round = 0; round < rounds; round++) {
            try (var process = new CluProcess(folder)) {
                if (round % 10 == 9) {
                    process.await(random.nextInt(1_000_000)); // while it starts
                    powerOff(); // and the process is killed
                } else {
                    loadUntilKilled(process, random.nextInt(maxMicros));
                }
            }
            if (disk.isPresent()) {
                disk.get().powerOnAgain();
                failing = false;
            }
            checkFolder();
        }
    }

    private void powerOff() throws Exception {
        if (disk.isPresent()) {
            failing = true;
            disk.get().powerOff();
        }
    }

    private void loadUntilKilled(CluProcess process, int micros) throws Exception {
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        var load = new ArrayList<Thread>();
        try (CluClient client = process.client(loops, key)) {
            checkController(client);
            client.startTftp().get(30, TimeUnit.SECONDS);
            assertEquals(List.of(), leftovers(), "files of the round before");
            load.add(Thread.ofPlatform().start(() -> control(client, failures)));
            for (Script script : List.of(main, user)) {
                load.add(Thread.ofPlatform().start(() -> upload(process, script, failures)));
            }
            awaitLoad(process);
            process.await(micros);
            assertEquals(List.of(), failures, process::output);
            powerOff();
            process.kill();
        } // its requests fail
        for (Thread each : load) {
            each.interrupt();
            each.join();
        }
        assertEquals(List.of(), failures, process::output);
    }

    /** Waits for the first acknowledgement of each kind; later rounds may end before one. */
    private void awaitLoad(CluProcess process) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (keysSet == 0 || valuesSet == 0 || main.uploads + user.uploads == 0) {
            assertTrue(System.nanoTime() < end, () -> "no load: " + process.output());
            process.await(1_000);
        }
    }

    private void checkController(CluClient client) throws Exception {
        assertTrue(client.checkAlive(0x0d123456).get(30, TimeUnit.SECONDS));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!client.execute("ready").get(30, TimeUnit.SECONDS).equals("true")) {
            assertTrue(System.nanoTime() < end, "the scripts boot");
        }
        assertEquals("" + main.check(), client.execute("mainVersion").get(30, TimeUnit.SECONDS));
        assertEquals("" + user.check(), client.execute("userVersion").get(30, TimeUnit.SECONDS));
        if (Files.exists(folder.resolve("storage/storage.json")) && saved > 0) {
            assertEquals("" + saved, client.execute("v[1]").get(30, TimeUnit.SECONDS));
        }
    }

    private void control(CluClient client, List<Throwable> failures) {
        try {
            for (int i = 1; ; i++) {
                CipherKey next = CipherKey.random(secure);
                keyUnderWay = next;
                client.setKey(next).get();
                key = next;
                keyUnderWay = null;
                keysSet++;
                long changed = value + 1;
                value = changed;
                assertEquals("" + changed, client.execute("bump(" + changed + ")").get());
                valuesSet++;
                if (i % 8 == 0) {
                    client.reset().get(); // has saved it, if the disk could
                    saved = failing ? saved : changed;
                    resets++;
                    client.startTftp().get();
                }
            }
        } catch (ExecutionException | InterruptedException e) {
            ended(e, failures);
        } catch (Error e) {
            failures.add(e);
        }
    }

    private void upload(CluProcess process, Script script, List<Throwable> failures) {
        // a reset ends a transfer, and TFTP does not run for a moment
        var settings = TftpSettings.DEFAULTS.retry(Duration.ofMillis(100), 20);
        var tftp = new TftpClient(loops, CluRig.LOOPBACK, settings);
        while (!Thread.interrupted()) {
            byte[] content = script.next();
            int version = script.sent;
            try {
                tftp.write(process.tftp, "a:\\" + script.name, content, Mode.OCTET).get();
                script.acknowledged = version;
                script.uploads++;
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof IOException)) {
                    failures.add(e);
                    return;
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** A client fails because it was closed after the kill, or because the disk has failed. */
    private void ended(Exception e, List<Throwable> failures) {
        boolean closed = String.valueOf(e.getMessage()).contains("the client is closed");
        if (e instanceof ExecutionException && !closed && !failing) {
            failures.add(e);
        }
    }

    private void checkFolder() throws IOException {
        checkKeys();
        main.check();
        user.check();
        checkStorage();
        Path scripts = folder.resolve("root/a");
        if (config == null) {
            config = Files.readAllBytes(scripts.resolve("CONFIG.JSON"));
            configText = Files.readAllBytes(scripts.resolve("config.txt"));
            assertEquals(219296854, JsonMapper.shared().readTree(config).get("sn").intValue());
            assertEquals(7, new String(configText, UTF_8).lines().count());
        }
        assertArrayEquals(config, Files.readAllBytes(scripts.resolve("CONFIG.JSON")));
        assertArrayEquals(configText, Files.readAllBytes(scripts.resolve("config.txt")));
        List<Path> left = leftovers();
        assertTrue(left.size() <= MAX_LEFT, left::toString);
    }

    private void checkKeys() throws IOException {
        assertTrue(Files.exists(folder.resolve("keys.json")));
        KeyFile.Content content = new KeyFile(folder).open();
        assertEquals(CluRig.PIN, content.pin());
        assertTrue(content.adopted());
        assertTrue(
                content.key().equals(key) || content.key().equals(keyUnderWay),
                "the key was acknowledged, or under way");
        key = content.key();
        keyUnderWay = null;
    }

    private void checkStorage() throws IOException {
        Path file = folder.resolve("storage/storage.json");
        if (!Files.exists(file)) {
            assertEquals(0, saved);
            return;
        }
        JsonNode stored = JsonMapper.shared().readTree(Files.readAllBytes(file)).get("v");
        if (stored.isEmpty()) {
            assertEquals(0, saved, "the first value of the script");
            return;
        }
        long number = stored.get(0).longValue();
        assertTrue(
                number >= saved && number <= value, () -> saved + " <= " + number + " <= " + value);
        assertEquals(300, stored.size());
        stored.forEach(each -> assertEquals(number, each.longValue()));
        saved = number;
    }

    private List<Path> leftovers() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith("tmp")).toList();
        }
    }
}
