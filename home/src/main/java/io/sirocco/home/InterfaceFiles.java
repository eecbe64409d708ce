// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.file.AtomicFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The interface files, by which Object Manager and other clients know the objects of this
 * controller. Any thread.
 */
public final class InterfaceFiles {
    private static final List<String> NAMES =
            List.of(
                    "clu_virtual_sirocco.xml",
                    "object_calendar.xml",
                    "object_event_scheduler.xml",
                    "object_http_listener.xml",
                    "object_http_request.xml",
                    "object_mqtt_topic.xml",
                    "object_presence_sensor.xml",
                    "object_scheduler.xml",
                    "object_storage.xml",
                    "object_sunrise_sunset_calendar.xml",
                    "object_timer.xml");

    private InterfaceFiles() {}

    /**
     * Writes the files into a folder, which is created. Files of the same names are replaced.
     *
     * @return their paths
     */
    public static List<Path> write(Path directory) throws IOException {
        Files.createDirectories(directory);
        List<Path> written = new ArrayList<>();
        for (String name : NAMES) {
            try (InputStream in = InterfaceFiles.class.getResourceAsStream("interfaces/" + name)) {
                AtomicFile.write(directory.resolve(name), in.readAllBytes());
            }
            written.add(directory.resolve(name));
        }
        return written;
    }
}
