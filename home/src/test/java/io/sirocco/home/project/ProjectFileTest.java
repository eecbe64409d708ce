// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.project;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.project.ProjectObject.Feature;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Projects written by hand. */
class ProjectFileTest {
    private static final String PROPERTIES =
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <object-stream>
              <ProjectProperties id="1">
                <projectName>Home</projectName>
                <projectCipherKey id="2">
                  <keyBytes id="3">AAECAwQFBgcICQoL
                    DA0ODw==</keyBytes>
                  <ivBytes id="4">EBESExQVFhcYGRobHB0eHw==</ivBytes>
                </projectCipherKey>
              </ProjectProperties>
            </object-stream>
            """;
    private static final String CLU =
            """
            <clu id="100"><name>Main CLU</name><nameOnCLU>CLU221010198</nameOnCLU>
              <serialNumber>221010198</serialNumber>
              <firmwareType>3</firmwareType><firmwareVersion>512</firmwareVersion>
              <hardwareType>19</hardwareType><hardwareVersion>1</hardwareVersion>
              <ipAddress>10.72.144.3</ipAddress></clu>
            """;
    private static final String SAME_CLU = "<clu reference=\"100\"/>";

    @TempDir private Path folder;
    private Path file;

    @BeforeEach
    void file() {
        file = folder.resolve("project.omp");
    }

    private void write(String properties, String system) throws IOException {
        try (var zip = new ZipOutputStream(Files.newOutputStream(file))) {
            entry(zip, "properties.xml", properties);
            entry(zip, "system.xml", system);
            entry(zip, "scripts/CLU221010198/user.lua", "return 1");
        }
    }

    private static void entry(ZipOutputStream zip, String name, String text) throws IOException {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(text.getBytes(StandardCharsets.UTF_8));
        zip.closeEntry();
    }

    private Project project(String... objects) throws IOException {
        write(PROPERTIES, system(objects));
        return ProjectFile.read(file);
    }

    private static String system(String... objects) {
        return "<object-stream><TreeObject id=\"1\"><id>r</id><name>root</name><children id=\"2\">"
                + String.join("", objects)
                + "</children></TreeObject></object-stream>";
    }

    private static String object(int id, String clu, String type, String name, String more) {
        return """
               <TreeObject id="%1$d"><id>%1$d</id><name>Tree</name><type>OBJECT</type>
                 <specificObject id="%1$d1" class="com.example.Some"><name>Object %1$d</name>
                 <nameOnCLU>%4$s</nameOnCLU><type>%3$s</type>%2$s%5$s</specificObject>
               </TreeObject>
               """
                .formatted(id, clu, type, name, more);
    }

    private static String feature(int index, String name, String unit) {
        return "<feature><name>%s</name><index>%d</index>%s</feature>"
                .formatted(name, index, unit.isEmpty() ? "" : "<unit>" + unit + "</unit>");
    }

    private static String value(String unit) {
        return "<features>" + feature(0, "Value", unit) + "</features>";
    }

    @Test
    void keyIsReadAsItIs() throws IOException {
        ProjectKey key = project().key();
        byte[] expected = new byte[16];
        for (int i = 0; i < 16; i++) {
            expected[i] = (byte) i;
        }
        assertArrayEquals(expected, key.key());
        assertEquals(0x10, key.iv()[0]);
        assertFalse(key.toString().contains("AAEC"), key.toString());
    }

    @Test
    void controllerWithEightTypesOfObjects() throws IOException {
        Project project =
                project(
                        object(10, CLU, "DOUT", "DOU1", value("")),
                        object(11, SAME_CLU, "DIMM", "DIM1", value("")),
                        object(
                                12,
                                SAME_CLU,
                                "LEDRGB",
                                "LED1",
                                "<features>%s%s%s</features><embeddedFeaturesList><list>%s</list></embeddedFeaturesList>"
                                        .formatted(
                                                feature(3, "RedValue", ""),
                                                feature(4, "GreenValue", ""),
                                                feature(5, "BlueValue", ""),
                                                feature(15, "WhiteValue", ""))),
                        object(13, SAME_CLU, "ROLLER_SHUTTER", "ROL1", value("")),
                        object(14, SAME_CLU, "PANELSENSTEMP", "PAN1", value("°C")),
                        object(15, SAME_CLU, "PANELSENSLIGHT", "PAN2", value(" ")),
                        object(16, SAME_CLU, "BUTTON", "DIN1", ""),
                        object(17, SAME_CLU, "PANEL_BUTTON", "PBU1", ""));
        assertEquals(1, project.controllers().size());
        Controller clu = project.controllers().getFirst();
        assertEquals(221010198L, clu.serial());
        assertEquals("Main CLU", clu.name());
        assertEquals("CLU221010198", clu.nameOnClu());
        assertEquals(Optional.of(Inet4Address.ofLiteral("10.72.144.3")), clu.address());
        assertEquals("3_512", clu.firmware());
        assertEquals("19_1", clu.hardware());
        assertEquals(
                List.of(
                        "DOUT",
                        "DIMM",
                        "LEDRGB",
                        "ROLLER_SHUTTER",
                        "PANELSENSTEMP",
                        "PANELSENSLIGHT",
                        "BUTTON",
                        "PANEL_BUTTON"),
                clu.objects().stream().map(ProjectObject::type).toList());
        assertEquals("Object 10", clu.objects().getFirst().name());
        ProjectObject led = clu.objects().get(2);
        assertEquals(4, led.features().size());
        assertEquals(15, led.feature("WhiteValue").orElseThrow().index());
        assertEquals(
                List.of(new Feature("Value", 0, Optional.of("°C"))),
                clu.objects().get(4).features());
        assertEquals(Optional.empty(), clu.objects().get(5).feature("Value").orElseThrow().unit());
    }

    @Test
    void removedAndInvisibleObjectsAreMarked() throws IOException {
        List<ProjectObject> objects =
                project(
                                object(10, CLU, "DOUT", "DOU1", "<isRemoved>true</isRemoved>"),
                                object(11, SAME_CLU, "DOUT", "DOU2", "<visible>false</visible>"),
                                object(12, SAME_CLU, "DOUT", "DOU3", "<visible>true</visible>"))
                        .controllers()
                        .getFirst()
                        .objects();
        assertTrue(objects.get(0).removed());
        assertTrue(objects.get(0).visible());
        assertFalse(objects.get(1).visible());
        assertTrue(objects.get(2).visible());
        assertFalse(objects.get(2).removed());
    }

    @Test
    void controllerThatIsDefinedAfterItsFirstReference() throws IOException {
        String own =
                CLU.replace("<clu id", "<specificObject id").replace("</clu>", "</specificObject>");
        Project project =
                project(
                        object(10, SAME_CLU, "DOUT", "DOU1", ""),
                        "<TreeObject id=\"20\">" + own + "</TreeObject>");
        assertEquals(1, project.controllers().size());
        assertEquals("DOU1", project.controllers().getFirst().objects().getFirst().nameOnClu());
    }

    @Test
    void objectThatTheTreeOnlyRefersTo() throws IOException {
        String inFull =
                "<outputs>"
                        + object(10, CLU, "DOUT", "DOU1", value(""))
                                .replace("specificObject", "output")
                        + "</outputs>";
        Project project =
                project(
                        inFull,
                        "<TreeObject id=\"30\"><specificObject reference=\"101\"/></TreeObject>",
                        "<TreeObject id=\"31\"><specificObject reference=\"101\"/></TreeObject>");
        List<ProjectObject> objects = project.controllers().getFirst().objects();
        assertEquals(List.of("DOU1"), objects.stream().map(ProjectObject::nameOnClu).toList());
    }

    @Test
    void twoControllersKeepTheirObjectsApart() throws IOException {
        String other = CLU.replace("100", "200").replace("221010198", "221010199");
        Project project =
                project(
                        object(10, CLU, "DOUT", "DOU1", ""),
                        object(11, other, "DOUT", "DOU1", ""),
                        object(12, "<clu reference=\"200\"/>", "DIMM", "DIM7", ""));
        assertEquals(2, project.controllers().size());
        assertEquals(2, project.controllers().get(1).objects().size());
    }

    @Test
    void whatIsNoObjectIsPassedOver() throws IOException {
        Project project =
                project(
                        "<TreeObject id=\"10\"><specificObject/></TreeObject>",
                        "<TreeObject id=\"11\"><specificObject id=\"12\"><name>Kitchen</name></specificObject></TreeObject>",
                        "<TreeObject id=\"13\"><specificObject id=\"14\"><nameOnCLU>MOD1</nameOnCLU><serialNumber>5</serialNumber></specificObject></TreeObject>");
        assertEquals(List.of(), project.controllers());
    }

    private String refusal(String properties, String system) throws IOException {
        write(properties, system);
        return assertThrows(ProjectException.class, () -> ProjectFile.read(file)).getMessage();
    }

    private static void says(String message, String... parts) {
        for (String part : parts) {
            assertTrue(message.contains(part), () -> "\"" + part + "\" is not in: " + message);
        }
    }

    @Test
    void errorsNameFileElementAndWhatToDo() throws IOException {
        says(
                refusal(PROPERTIES.replace("EBES", "EB"), system()),
                "project.omp: properties.xml, line 8, <ivBytes>",
                "16 bytes",
                "save the project");
        says(
                refusal("<object-stream/>", system()),
                "properties.xml, line 1, <object-stream>: it has no <ProjectProperties>");
        says(
                refusal(
                        PROPERTIES,
                        system(object(10, CLU.replace(">221010198<", ">x<"), "A", "B", ""))),
                "<serialNumber>: \"x\" is not a number");
        says(
                refusal(
                        PROPERTIES,
                        system(
                                object(
                                        10,
                                        CLU.replace("10.72.144.3", "example.com"),
                                        "A",
                                        "B",
                                        ""))),
                "<ipAddress>: \"example.com\" is not an IPv4 address");
        says(
                refusal(PROPERTIES, system(object(10, SAME_CLU, "A", "B", ""))),
                "<clu>: no element has the id");
        says(
                refusal(PROPERTIES, system("<a id=\"7\"/>", "<b id=\"7\"/>")),
                "<b>: its id 7 is that of another element");
        says(
                refusal(
                        PROPERTIES,
                        system(
                                object(
                                        10,
                                        CLU,
                                        "A",
                                        "B",
                                        "<features><f><name>V</name><index>-1</index></f></features>"))),
                "<index>: \"-1\" is not a number");
    }

    @Test
    void damagedFilesAreRefused() throws IOException {
        says(refusal(PROPERTIES, "<object-stream><TreeObject>"), "system.xml: it is no XML");
        says(refusal(PROPERTIES, ""), "system.xml: it is no XML");
        Files.writeString(file, "no archive");
        says(
                assertThrows(ProjectException.class, () -> ProjectFile.read(file)).getMessage(),
                "project.omp is no ZIP archive");
        write(PROPERTIES, system());
        byte[] whole = Files.readAllBytes(file);
        for (int length = 0; length < whole.length; length++) {
            Files.write(file, java.util.Arrays.copyOf(whole, length));
            assertThrows(ProjectException.class, () -> ProjectFile.read(file));
        }
        Files.delete(file);
        says(
                assertThrows(ProjectException.class, () -> ProjectFile.read(file)).getMessage(),
                "there is no such file; copy the project");
    }

    @Test
    void flippedBytesAreRefusedOrReadButNeverAnythingElse() throws IOException {
        flip(1, 4);
    }

    @Tag("heavy")
    @Test
    void eachFlippedByteIsRefusedOrReadButNeverAnythingElse() throws IOException {
        flip(0, 1);
    }

    private void flip(int first, int step) throws IOException {
        write(PROPERTIES, system(object(10, CLU, "DOUT", "DOU1", value(""))));
        byte[] whole = Files.readAllBytes(file);
        for (int i = first; i < whole.length; i += step) {
            byte[] damaged = whole.clone();
            damaged[i] ^= 0x55;
            Files.write(file, damaged);
            try {
                ProjectFile.read(file);
            } catch (ProjectException e) {
                assertTrue(e.getMessage().contains("project.omp"), e.getMessage());
            }
        }
    }

    @Test
    void missingEntryIsNamed() throws IOException {
        try (var zip = new ZipOutputStream(Files.newOutputStream(file))) {
            entry(zip, "properties.xml", PROPERTIES);
        }
        says(
                assertThrows(ProjectException.class, () -> ProjectFile.read(file)).getMessage(),
                "has no entry system.xml");
    }

    @Test
    void externalEntityIsNotRead() throws IOException {
        Path secret = Files.writeString(folder.resolve("secret"), "CLU1");
        String attack = "<!DOCTYPE a [<!ENTITY x SYSTEM \"" + secret.toUri() + "\">]><a>&x;</a>";
        says(refusal(PROPERTIES, attack), "system.xml: it has a document type");
    }

    @Test
    void entityThatGrowsIsNotExpanded() throws IOException {
        var attack = new StringBuilder("<!DOCTYPE a [<!ENTITY e0 \"ha\">");
        for (int i = 1; i < 30; i++) {
            attack.append("<!ENTITY e%d \"&e%d;&e%d;\">".formatted(i, i - 1, i - 1));
        }
        says(refusal(PROPERTIES, attack + "]><a>&e29;</a>"), "it has a document type");
    }

    @Test
    void zipBombIsRefused() throws IOException {
        try (var zip = new ZipOutputStream(Files.newOutputStream(file))) {
            entry(zip, "properties.xml", PROPERTIES);
            zip.putNextEntry(new ZipEntry("system.xml"));
            byte[] blanks = new byte[1 << 20];
            java.util.Arrays.fill(blanks, (byte) ' ');
            zip.write("<a>".getBytes(StandardCharsets.US_ASCII));
            for (int i = 0; i < 65; i++) {
                zip.write(blanks);
            }
            zip.write("</a>".getBytes(StandardCharsets.US_ASCII));
            zip.closeEntry();
        }
        assertTrue(Files.size(file) < 200_000);
        String message =
                assertThrows(ProjectException.class, () -> ProjectFile.read(file)).getMessage();
        says(message, "larger than 64 MiB unpacked");
        lieAboutTheSizeOfTheLastEntry();
        says(
                assertThrows(ProjectException.class, () -> ProjectFile.read(file)).getMessage(),
                "project.omp");
    }

    /** Sets the unpacked size of the last entry of the directory to 1,000 bytes. */
    private void lieAboutTheSizeOfTheLastEntry() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int at = bytes.length - 4;
        while (!(bytes[at] == 'P'
                && bytes[at + 1] == 'K'
                && bytes[at + 2] == 1
                && bytes[at + 3] == 2)) {
            at--;
        }
        bytes[at + 24] = (byte) (1_000 & 0xff);
        bytes[at + 25] = 1_000 >> 8;
        bytes[at + 26] = 0;
        bytes[at + 27] = 0;
        Files.write(file, bytes);
    }

    @Test
    void tooManyEntriesAreRefused() throws IOException {
        try (var zip = new ZipOutputStream(Files.newOutputStream(file))) {
            for (int i = 0; i < 10_001; i++) {
                entry(zip, "e" + i, "");
            }
        }
        says(
                assertThrows(ProjectException.class, () -> ProjectFile.read(file)).getMessage(),
                "more than 10,000 entries");
    }

    @Test
    void tooManyElementsAndTooDeepOnesAreRefused() throws IOException {
        says(
                refusal(PROPERTIES, "<a>" + "<b/>".repeat(1_000_000) + "</a>"),
                "more than 1,000,000 elements");
        says(
                refusal(PROPERTIES, "<a>".repeat(2_001) + "</a>".repeat(2_001)),
                "more than 2,000 in each other");
    }

    @Test
    void projectOfManyObjectsIsRead() throws IOException {
        var objects = new String[5_000];
        for (int i = 0; i < objects.length; i++) {
            String clu = i == 0 ? CLU : SAME_CLU;
            objects[i] = object(1_000 + i, clu, "DOUT", "DOU" + i, value(""));
        }
        assertEquals(5_000, project(objects).controllers().getFirst().objects().size());
    }
}
