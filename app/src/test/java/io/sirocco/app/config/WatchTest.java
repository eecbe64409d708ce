// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each look of the watch is made by the test. */
class WatchTest {
    @TempDir private Path folder;
    private Path file;
    private Path chain;
    private int calls;
    private Watch watch;

    @BeforeEach
    void begin() throws Exception {
        chain = Files.writeString(folder.resolve("chain"), "a:b");
        file = folder.resolve("a.toml");
        Files.writeString(file, "[[tls.certificate]]\nchain = \"chain\"\nkey = \"chain\"\n");
        watch = Watch.still(Configuration.load(file, Overrides.NONE), () -> calls++);
    }

    private void look(int times) {
        for (int i = 0; i < times; i++) watch.look();
    }

    @Test
    void nothingChangedNothingCalled() {
        look(50);
        assertEquals(0, calls);
    }

    @Test
    void aChangeIsToldOnceAtTheNextQuietLook() throws Exception {
        Files.writeString(file, "# changed\n");
        look(1);
        assertEquals(0, calls, "it may still be being written");
        look(20);
        assertEquals(1, calls);
    }

    @Test
    void filesThatChangeTogetherAreToldTogether() throws Exception {
        Files.writeString(file, "# changed\n");
        look(1);
        Files.writeString(chain, "a:c, and more");
        look(20);
        assertEquals(1, calls);
    }

    @Test
    void aFileThatChangesAtEveryLookIsToldNevertheless() throws Exception {
        for (int i = 0; i < 100; i++) {
            Files.writeString(chain, "x".repeat(i));
            look(1);
        }
        assertEquals(10, calls);
    }

    /** A signal, or an operator, asked for it, and it was refused: it is said once. */
    @Test
    void aChangeThatAnotherReloadHasReadIsNotToldAgain() throws Exception {
        Files.writeString(file, "# changed\n");
        watch.seen();
        look(20);
        assertEquals(0, calls);
        Files.writeString(chain, "changed");
        look(1);
        Files.writeString(file, "# changed again\n");
        watch.seen();
        look(20);
        assertEquals(0, calls);
        Files.writeString(file, "# changed later\n");
        look(20);
        assertEquals(1, calls);
    }

    @Test
    void aChangeBetweenReadingAndWatchingCounts() throws Exception {
        Configuration read = Configuration.load(file, Overrides.NONE);
        Files.writeString(chain, "written before anybody watched");
        watch.follow(read);
        look(2);
        assertEquals(1, calls);
    }

    @Test
    void anotherFileOfTheSameSizeAndTimeUnderTheSameName() throws Exception {
        FileTime time = Files.getLastModifiedTime(chain);
        Path next = Files.writeString(folder.resolve("next"), "c:d");
        Files.setLastModifiedTime(next, time);
        Files.move(next, chain, StandardCopyOption.ATOMIC_MOVE);
        look(2);
        assertEquals(1, calls);
    }

    /** As Kubernetes mounts: chain -> ..data/chain, and ..data -> a folder that is swapped. */
    @Test
    void aLinkInThePathThatIsSwapped() throws Exception {
        for (String version : new String[] {"v1", "v2"}) {
            Files.createDirectory(folder.resolve(version));
            Files.writeString(folder.resolve(version).resolve("chain"), version);
        }
        Path data = Files.createSymbolicLink(folder.resolve("..data"), Path.of("v1"));
        Files.delete(chain);
        Files.createSymbolicLink(chain, Path.of("..data/chain"));
        watch.follow(Configuration.load(file, Overrides.NONE));
        look(2);
        assertEquals(0, calls);
        Path next = Files.createSymbolicLink(folder.resolve("..data_tmp"), Path.of("v2"));
        Files.move(next, data, StandardCopyOption.ATOMIC_MOVE);
        look(2);
        assertEquals(1, calls);
    }

    @Test
    void aFileThatGoesAndComesBack() throws Exception {
        Files.delete(chain);
        look(2);
        assertEquals(1, calls);
        look(5);
        Files.writeString(chain, "a:b");
        look(2);
        assertEquals(2, calls);
    }

    @Test
    void whatFailsOnceIsCalledAgain() throws Exception {
        Logger.getLogger(Watch.class.getName()).setLevel(Level.OFF); // the failure is meant
        watch =
                Watch.still(
                        Configuration.load(file, Overrides.NONE),
                        () -> {
                            calls++;
                            throw new IllegalStateException("a test");
                        });
        for (int i = 1; i <= 3; i++) {
            Files.writeString(chain, "x".repeat(i));
            look(2);
            assertEquals(i, calls);
        }
    }

    @Test
    void byItselfItLooksAgainAndAgain() throws Exception {
        var told = new CountDownLatch(1);
        Configuration read = Configuration.load(file, Overrides.NONE);
        try (Watch own = Watch.start(read, told::countDown, Duration.ofMillis(50))) {
            Files.writeString(chain, "changed");
            assertTrue(told.await(30, TimeUnit.SECONDS), own.toString());
        }
    }
}
