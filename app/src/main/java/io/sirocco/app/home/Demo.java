// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.home.file.AtomicFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Inet4Address;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The folder of a demo: scripts with lamps, blinds and a thermostat that are simulated in Lua, and
 * the project that describes them to Home Assistant. Used by one thread.
 */
final class Demo {
    private static final int FIRST_SERIAL = 0x0e00_0000;
    private static final int SERIALS = 1 << 24;
    private static final Pattern WRITTEN = Pattern.compile("MQTT_URL = \"[^\\n]*\"\\s*");

    private Demo() {}

    /**
     * Writes project and scripts into an empty folder. In the folder of a demo they are kept as
     * they are, except for the URL of the broker.
     *
     * @param broker the URL of the MQTT broker, or empty
     * @throws IOException if the folder has other files, which are not replaced
     */
    static void write(Path directory, Inet4Address address, String broker) throws IOException {
        Path scripts = AtomicFile.createFolder(directory.resolve("root/a"));
        if (Files.notExists(scripts.resolve("MAIN.LUA"))) {
            requireEmpty(directory);
            int serial = FIRST_SERIAL + new SecureRandom().nextInt(SERIALS);
            AtomicFile.write(
                    scripts.resolve("CONFIG.JSON"), ("{\"sn\":" + serial + "}").getBytes(UTF_8));
            String number = "0x" + HexFormat.of().formatHex(address.getAddress());
            for (String name : List.of("USER.LUA", "OM.LUA", "MAIN.LUA")) {
                String text =
                        bundled(name)
                                .replace("@SERIAL@", HexFormat.of().toHexDigits(serial))
                                .replace("@ADDRESS@", number);
                AtomicFile.write(scripts.resolve(name), text.getBytes(UTF_8));
            }
            writeProject(directory, address, serial);
        } else if (Files.notExists(scripts.resolve("MQTT.LUA"))) {
            throw new IOException(
                    directory
                            + " has scripts, and they are not those of the demo; start without"
                            + " --demo, or choose an empty folder by --dir");
        }
        writeBroker(scripts.resolve("MQTT.LUA"), broker);
    }

    private static void requireEmpty(Path directory) throws IOException {
        for (String name :
                List.of(
                        "root/a/CONFIG.JSON",
                        "root/a/USER.LUA",
                        "root/a/OM.LUA",
                        "root/a/MQTT.LUA",
                        "project.omp",
                        "keys.json")) {
            if (Files.exists(directory.resolve(name))) {
                throw new IOException(
                        directory.resolve(name)
                                + " exists, and the demo does not replace it; choose an empty"
                                + " folder by --dir");
            }
        }
    }

    /** Writes the URL, unless the file has lines that the demo has not written. */
    private static void writeBroker(Path file, String broker) throws IOException {
        if (Files.exists(file) && !WRITTEN.matcher(Files.readString(file, ISO_8859_1)).matches()) {
            if (broker.isEmpty()) {
                return;
            }
            throw new IOException(
                    file
                            + " has lines of your own, and the demo does not replace them; set"
                            + " MQTT_URL there, and start without --mqtt");
        }
        String text = "MQTT_URL = " + LuaLiteral.of(broker) + "\n";
        AtomicFile.writePrivate(file, text.getBytes(UTF_8));
    }

    /** Writes the project; the controller takes its key. */
    private static void writeProject(Path directory, Inet4Address address, int serial)
            throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var zip = new ZipOutputStream(bytes, UTF_8)) {
            for (String name : List.of("properties.xml", "system.xml")) {
                String text =
                        bundled(name)
                                .replace("@KEY@", random16())
                                .replace("@IV@", random16())
                                .replace("@SERIAL@", Integer.toString(serial))
                                .replace("@ADDRESS@", address.getHostAddress());
                zip.putNextEntry(new ZipEntry(name));
                zip.write(text.getBytes(UTF_8));
                zip.closeEntry();
            }
        }
        AtomicFile.writePrivate(directory.resolve("project.omp"), bytes.toByteArray());
    }

    private static String random16() {
        byte[] bytes = new byte[16];
        new SecureRandom().nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static String bundled(String name) throws IOException {
        try (InputStream in = Demo.class.getResourceAsStream("demo/" + name)) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    /** Deletes a temporary folder. */
    static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
