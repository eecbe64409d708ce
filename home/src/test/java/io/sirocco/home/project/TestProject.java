// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.project;

import io.sirocco.home.protocol.CipherKey;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Writes projects as Object Manager does. */
public final class TestProject {
    private TestProject() {}

    /** Writes a project; each controller needs an object. */
    public static void write(Path file, CipherKey key, Controller... controllers)
            throws IOException {
        var objects = new StringBuilder();
        int id = 1_000;
        for (int i = 0; i < controllers.length; i++) {
            String clu = clu(controllers[i], i + 1);
            for (ProjectObject object : controllers[i].objects()) {
                objects.append(object(object, clu, ++id));
                clu = "<clu reference=\"" + (i + 1) + "\"/>";
            }
        }
        var base64 = Base64.getEncoder();
        try (var zip = new ZipOutputStream(Files.newOutputStream(file))) {
            entry(
                    zip,
                    "properties.xml",
                    "<object-stream><ProjectProperties><projectCipherKey><keyBytes>"
                            + base64.encodeToString(key.key().toArray())
                            + "</keyBytes><ivBytes>"
                            + base64.encodeToString(key.iv().toArray())
                            + "</ivBytes></projectCipherKey></ProjectProperties></object-stream>");
            entry(zip, "system.xml", "<object-stream>" + objects + "</object-stream>");
        }
    }

    private static String clu(Controller controller, int id) {
        return """
               <clu id="%d"><name>%s</name><nameOnCLU>%s</nameOnCLU><serialNumber>%d</serialNumber>
               <ipAddress>%s</ipAddress></clu>
               """
                .formatted(
                        id,
                        controller.name(),
                        controller.nameOnClu(),
                        controller.serial(),
                        controller.address().map(Inet4Address::getHostAddress).orElse(""));
    }

    private static String object(ProjectObject object, String clu, int id) {
        var features = new StringBuilder();
        object.features()
                .forEach(
                        each ->
                                features.append(
                                        "<feature><name>%s</name><index>%d</index><unit>%s</unit></feature>"
                                                .formatted(
                                                        each.name(),
                                                        each.index(),
                                                        each.unit().orElse(""))));
        return """
               <TreeObject><specificObject id="%d"><name>%s</name><nameOnCLU>%s</nameOnCLU>
               <type>%s</type>%s<features>%s</features></specificObject></TreeObject>
               """
                .formatted(id, object.name(), object.nameOnClu(), object.type(), clu, features);
    }

    private static void entry(ZipOutputStream zip, String name, String text) throws IOException {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(text.getBytes(StandardCharsets.UTF_8));
        zip.closeEntry();
    }
}
