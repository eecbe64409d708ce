// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import io.sirocco.home.file.AtomicFile;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/**
 * The topics of the retained configurations that were sent to the broker, kept in a file with one
 * topic on each line: after a restart, those that the project no longer has are deleted at the
 * broker. Used by one thread, that of MQTT.
 */
final class AnnouncedTopics {
    private static final String END = "/config";
    private static final int MAX_BYTES = 8 << 20;

    private final Path file;
    private final BiConsumer<Level, String> log;
    private final Set<String> topics = new TreeSet<>();

    /** Reads the file; one that is missing has no topics, and one that cannot be read is logged. */
    AnnouncedTopics(Path file, BiConsumer<Level, String> log) {
        this.file = file;
        this.log = log;
        try {
            if (Files.exists(file)) {
                if (Files.size(file) > MAX_BYTES) {
                    throw new IOException("it is longer than 8 MiB");
                }
                Files.readString(file)
                        .lines()
                        .filter(AnnouncedTopics::isTopic)
                        .forEach(topics::add);
            }
        } catch (IOException e) {
            warn("cannot be read", e);
        }
    }

    private static boolean isTopic(String line) {
        return line.endsWith(END) && line.chars().noneMatch(c -> c == '+' || c == '#' || c < ' ');
    }

    private void warn(String what, IOException why) {
        log.accept(
                Level.WARNING,
                file
                        + " "
                        + what
                        + " ("
                        + why
                        + "): objects that are removed from the project stay in Home Assistant");
    }

    /** Adds topics that are about to be sent. */
    void add(Collection<String> more) {
        if (topics.addAll(more)) {
            write();
        }
    }

    /** Removes topics that the broker has deleted. */
    void remove(Collection<String> deleted) {
        if (topics.removeAll(deleted)) {
            write();
        }
    }

    /** Returns those that are not in {@code wanted}. */
    List<String> without(Set<String> wanted) {
        return topics.stream().filter(each -> !wanted.contains(each)).toList();
    }

    /** Returns the topic of the state that belongs to a configuration. */
    static String state(String topic) {
        return topic.substring(0, topic.length() - END.length()) + "/state";
    }

    private void write() {
        try {
            AtomicFile.createFolder(file.toAbsolutePath().getParent());
            AtomicFile.write(file, String.join("\n", topics).getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            warn("cannot be written", e);
        }
    }
}
