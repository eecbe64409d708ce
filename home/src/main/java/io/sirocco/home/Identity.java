// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.file.AtomicFile;
import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The identity that a controller reports: its serial number, its MAC address, its types and
 * versions, by which Object Manager chooses an interface file. Immutable.
 *
 * @param serial the serial number, 32 bits
 * @param mac 6 bytes
 */
record Identity(int serial, byte[] mac) {
    /** {@code fwType}, {@code fwApiVer}, {@code hwType} and {@code hwVer} of this product. */
    static final int FIRMWARE_TYPE = 3;

    static final int FIRMWARE_API = 0x0051_0cc0;
    static final int HARDWARE_TYPE = 0x13;
    static final int HARDWARE_VERSION = 1;

    private static final int FIRST_RANDOM_SERIAL = 0x0e00_0000; // nine decimal digits, as real ones
    private static final int RANDOM_SERIALS = 1 << 24;
    private static final LazyLogger LOG = LazyLogger.of(Clu.class);
    private static final JsonMapper JSON = JsonMapper.shared();

    /**
     * Reads the serial number from {@code CONFIG.JSON} in {@code folder}, or draws one, and brings
     * {@code CONFIG.JSON} and {@code config.txt} up to date for this machine. If {@code
     * CONFIG.JSON} is damaged, the serial number is that of {@code config.txt}, or a new one.
     *
     * @param version of the product, for {@code fwVer}
     * @throws IOException if a file cannot be read, or CONFIG.JSON is missing and cannot be
     *     written: the serial number would be another at the next start
     */
    static Identity open(Path folder, byte[] mac, String version) throws IOException {
        Path file = folder.resolve("CONFIG.JSON");
        int serial;
        boolean isKept = true; // the serial number, whatever is written now
        try {
            serial = serial(file, Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            serial = newSerial();
            isKept = false;
        } catch (Damaged e) {
            serial = serialOfText(folder.resolve("config.txt"));
            isKept = false;
            LOG.get()
                    .log(
                            Level.WARNING,
                            "{0} The file is written anew, with the serial number {1}.",
                            e.getMessage(),
                            Integer.toUnsignedString(serial));
        }
        var identity = new Identity(serial, mac.clone());
        update(file, identity.json(version), isKept);
        update(folder.resolve("config.txt"), identity.text(), true);
        return identity;
    }

    /** CONFIG.JSON has no usable serial number. */
    private static final class Damaged extends IOException {
        private static final long serialVersionUID = 1L;

        Damaged(String message) {
            super(message);
        }
    }

    private static int newSerial() {
        return FIRST_RANDOM_SERIAL + new SecureRandom().nextInt(RANDOM_SERIALS);
    }

    /** Returns the serial number that config.txt has in its second line, or a new one. */
    private static int serialOfText(Path file) throws IOException {
        try {
            String[] lines = Files.readString(file, StandardCharsets.ISO_8859_1).split("\r\n");
            if (lines.length > 1 && lines[1].length() == 8) {
                return HexFormat.fromHexDigits(lines[1]);
            }
        } catch (NoSuchFileException | NumberFormatException e) {
            // as if it had none
        }
        return newSerial();
    }

    /**
     * Writes a file unless it has this content.
     *
     * @param isOptional logs that it cannot be written: so a controller starts when the disk is
     *     full and another network card has another MAC address
     */
    private static void update(Path file, byte[] content, boolean isOptional) throws IOException {
        if (Files.isRegularFile(file) && Arrays.equals(Files.readAllBytes(file), content)) {
            return;
        }
        try {
            AtomicFile.write(file, content);
        } catch (IOException e) {
            if (!isOptional) {
                throw e;
            }
            LOG.get()
                    .log(
                            Level.WARNING,
                            "{0} is out of date, since it cannot be written: {1}",
                            file,
                            e.getMessage());
        }
    }

    /** Returns the serial number as the protocol writes it: 8 lower-case hexadecimal digits. */
    String serialText() {
        return HexFormat.of().toHexDigits(serial);
    }

    /** Returns the MAC address as the protocol writes it: 12 digits. */
    String macText() {
        return HexFormat.of().formatHex(mac);
    }

    /** Returns the MAC address as a number of 48 bits. */
    long macNumber() {
        long number = 0;
        for (byte each : mac) {
            number = number << 8 | each & 0xff;
        }
        return number;
    }

    private static int serial(Path file, byte[] bytes) throws IOException {
        JsonNode number;
        try {
            number = JSON.readTree(bytes).path("sn");
        } catch (JacksonException e) {
            throw new Damaged(file + " is not JSON: " + e.getOriginalMessage() + ".");
        }
        if (!number.isIntegralNumber()
                || number.longValue() < 0
                || number.longValue() >= 1L << 32) {
            throw new Damaged(
                    "%s: \"sn\", the serial number, is %s, not a number from 0 to 4294967295."
                            .formatted(file, number.isMissingNode() ? "missing" : number));
        }
        return (int) number.longValue();
    }

    private byte[] json(String version) {
        var node = JSON.createObjectNode();
        node.put("sn", Integer.toUnsignedLong(serial));
        node.put("mac", macText());
        node.put("hwType", HARDWARE_TYPE);
        node.put("hwVer", HARDWARE_VERSION);
        node.put("fwType", FIRMWARE_TYPE);
        node.put("fwApiVer", FIRMWARE_API);
        node.put("fwVer", version);
        node.put("status", "OK");
        node.putArray("tfbusDevices");
        node.putArray("zwaveDevices"); // clients expect both
        return JSON.writeValueAsBytes(node);
    }

    /** Returns the seven lines of {@code config.txt}. */
    private byte[] text() {
        HexFormat hex = HexFormat.of();
        String text =
                String.join(
                        "\r\n",
                        hex.toHexDigits(0),
                        serialText(),
                        HexFormat.ofDelimiter(":").formatHex(mac),
                        hex.toHexDigits(FIRMWARE_TYPE),
                        hex.toHexDigits(FIRMWARE_API),
                        hex.toHexDigits(HARDWARE_TYPE),
                        hex.toHexDigits(HARDWARE_VERSION),
                        "");
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
