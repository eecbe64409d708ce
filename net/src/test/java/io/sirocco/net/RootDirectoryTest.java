// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.net.RootDirectory.Links;
import io.sirocco.net.linux.LinuxFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of a directory, and nothing outside of it. */
class RootDirectoryTest {
    @TempDir Path place;
    private Path site;

    @BeforeEach
    void build() throws IOException {
        site = Files.createDirectories(place.resolve("site"));
        Files.createDirectories(site.resolve("a/b"));
        Files.writeString(site.resolve("a/b/inside.txt"), "inside");
        Files.writeString(place.resolve("secret.txt"), "secret");
        Files.createSymbolicLink(site.resolve("near"), Path.of("a/b/inside.txt"));
        Files.createSymbolicLink(site.resolve("a/up"), Path.of("../a/b/inside.txt"));
        Files.createSymbolicLink(site.resolve("whole"), site.resolve("a/b/inside.txt"));
        Files.createSymbolicLink(site.resolve("out"), Path.of("../secret.txt"));
        Files.createSymbolicLink(site.resolve("wholeOut"), place.resolve("secret.txt"));
        Files.createSymbolicLink(site.resolve("dirOut"), Path.of(".."));
        Files.createSymbolicLink(site.resolve("loop"), Path.of("loop"));
    }

    private String read(Links links, String name) throws IOException {
        OpenFile file = RootDirectory.of(site, links).open(name);
        try {
            byte[] bytes = new byte[100];
            int n = file.read(bytes, 0, bytes.length, 0);
            assertEquals(file.size(), n);
            return new String(bytes, 0, n, StandardCharsets.UTF_8);
        } finally {
            file.release();
        }
    }

    private void none(Links links, String name) {
        assertThrows(NoSuchFileException.class, () -> read(links, name), name);
    }

    @ParameterizedTest
    @EnumSource
    void aFileInside(Links links) throws IOException {
        assertEquals("inside", read(links, "a/b/inside.txt"));
    }

    @ParameterizedTest
    @EnumSource
    void noSpellingLeadsOut(Links links) {
        for (String name :
                new String[] {
                    "../secret.txt",
                    "a/../../secret.txt",
                    "a/b/../../../secret.txt",
                    "..",
                    "a/..",
                    "/etc/passwd",
                    "//etc/passwd",
                    place.resolve("secret.txt").toString(),
                    "a/b/inside.txt\0.png",
                    "none",
                    "a/b/inside.txt/",
                    "a/b/inside.txt/x",
                    "x".repeat(5_000),
                    "loop"
                }) {
            none(links, name);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"near", "a/up", "whole"})
    void linksThatStayInside(String name) throws IOException {
        assertEquals("inside", read(Links.INSIDE, name));
        assertEquals("inside", read(Links.ALL, name));
        none(Links.NONE, name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"out", "wholeOut", "dirOut/secret.txt"})
    void linksThatLeadOut(String name) throws IOException {
        none(Links.INSIDE, name);
        none(Links.NONE, name);
        assertEquals("secret", read(Links.ALL, name));
    }

    @Test
    void directoriesAreTold() throws IOException {
        OpenFile root = RootDirectory.of(site, Links.NONE).open("");
        OpenFile below = RootDirectory.of(site, Links.NONE).open("a/b/");
        assertTrue(root.isDirectory() && below.isDirectory());
        assertTrue(Files.exists(below.path().resolve("inside.txt")));
        root.release();
        below.release();
    }

    @Test
    void aPipeIsNotWaitedFor() throws Exception {
        Process made = new ProcessBuilder("mkfifo", site.resolve("pipe").toString()).start();
        assumeTrue(made.waitFor() == 0, "there is no mkfifo here");
        OpenFile pipe = RootDirectory.of(site, Links.INSIDE).open("pipe");
        assertTrue(!pipe.isRegular() && !pipe.isDirectory());
        pipe.release();
    }

    /** To the superuser, as whom CI runs, nothing is closed. */
    @Test
    void whatMayNotBeReadIsDenied() throws IOException {
        Path file = Files.writeString(site.resolve("closed"), "x");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
        if (Files.isReadable(file)) {
            assertEquals("x", read(Links.INSIDE, "closed"));
        } else {
            assertThrows(AccessDeniedException.class, () -> read(Links.INSIDE, "closed"));
        }
        for (int errno : new int[] {LinuxFiles.EACCES, LinuxFiles.EPERM}) {
            assertThrows(AccessDeniedException.class, () -> RootDirectory.check(-errno, "closed"));
        }
    }

    @Test
    void theDirectoryMayBeALinkThatIsTurned() throws IOException {
        Path next = Files.createDirectories(place.resolve("next"));
        Files.writeString(next.resolve("page"), "new");
        Files.writeString(site.resolve("page"), "old");
        Path current = Files.createSymbolicLink(place.resolve("current"), site);
        RootDirectory root = RootDirectory.of(current, Links.NONE);
        assertEquals(3, root.open("page").size());
        Files.delete(current);
        Files.createSymbolicLink(current, next);
        OpenFile page = root.open("page");
        byte[] bytes = new byte[3];
        page.read(bytes, 0, 3, 0);
        assertEquals("new", new String(bytes, StandardCharsets.UTF_8));
    }

    @Test
    void aChangedFileIsAnother() throws IOException {
        Path file = Files.writeString(site.resolve("page"), "old");
        OpenFile old = OpenFile.open(file);
        Files.delete(file);
        Files.writeString(file, "longer");
        OpenFile now = OpenFile.open(file);
        assertTrue(!old.identity().equals(now.identity()) || old.size() != now.size());
        assertEquals(3, old.size());
        byte[] bytes = new byte[10];
        assertEquals(3, old.read(bytes, 0, 10, 0), "what was opened stays readable");
    }
}
