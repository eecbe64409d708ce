// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.project;

import io.sirocco.home.project.ProjectObject.Feature;
import java.net.Inet4Address;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;

/**
 * Reads a project file (.omp) of Object Manager: a ZIP archive with {@code properties.xml}, which
 * has the key, and {@code system.xml}, which has the controllers and their objects. Any thread.
 */
public final class ProjectFile {
    private static final int KEY_BYTES = 16;

    private ProjectFile() {}

    /**
     * Reads a project. It may have 64 MiB unpacked.
     *
     * @throws ProjectException if the file cannot be used
     */
    public static Project read(Path file) throws ProjectException {
        try (ProjectArchive archive = ProjectArchive.open(file)) {
            ProjectKey key = key(XmlFile.read(archive, "properties.xml"));
            return new Project(key, controllers(XmlFile.read(archive, "system.xml")));
        }
    }

    private static ProjectKey key(XmlElement root) throws ProjectException {
        XmlElement key = root.require("ProjectProperties").require("projectCipherKey");
        return new ProjectKey(bytes(key.require("keyBytes")), bytes(key.require("ivBytes")));
    }

    private static byte[] bytes(XmlElement element) throws ProjectException {
        try {
            byte[] bytes = Base64.getDecoder().decode(element.text().replaceAll("\\s", ""));
            if (bytes.length == KEY_BYTES) {
                return bytes;
            }
        } catch (IllegalArgumentException e) {
            // its cause would show a part of the key
        }
        throw element.wrong("it is not the base64 text of 16 bytes");
    }

    private static List<Controller> controllers(XmlElement root) throws ProjectException {
        Map<XmlElement, List<ProjectObject>> objects = new IdentityHashMap<>();
        SequencedSet<XmlElement> controllers = new LinkedHashSet<>();
        for (XmlElement element : named(root, "specificObject")) {
            Optional<XmlElement> clu = element.child("clu").filter(ProjectFile::isNamed);
            if (clu.isPresent() && isNamed(element)) {
                controllers.add(clu.get());
                objects.computeIfAbsent(clu.get(), key -> new ArrayList<>()).add(object(element));
            } else if (isNamed(element)
                    && element.child("serialNumber").isPresent()
                    && element.child("ipAddress").isPresent()) {
                controllers.add(element);
            }
        }
        List<Controller> all = new ArrayList<>();
        for (XmlElement controller : controllers) {
            all.add(controller(controller, objects.getOrDefault(controller, List.of())));
        }
        return all;
    }

    private static boolean isNamed(XmlElement element) {
        return element.textOf("nameOnCLU").isPresent();
    }

    /** Returns the elements of a name in the order of the file, resolved, each once. */
    private static SequencedSet<XmlElement> named(XmlElement root, String name) {
        SequencedSet<XmlElement> found = new LinkedHashSet<>();
        Deque<XmlElement> waiting = new ArrayDeque<>(List.of(root));
        while (!waiting.isEmpty()) {
            XmlElement element = waiting.pop();
            if (element.name.equals(name)) {
                found.add(element.resolved());
            }
            element.children.reversed().forEach(waiting::push);
        }
        return found;
    }

    private static Controller controller(XmlElement element, List<ProjectObject> objects)
            throws ProjectException {
        return new Controller(
                serial(element.require("serialNumber")),
                element.textOf("name").orElse(element.requireText("nameOnCLU")),
                element.requireText("nameOnCLU"),
                address(element),
                version(element, "firmware"),
                version(element, "hardware"),
                objects);
    }

    private static String version(XmlElement element, String of) {
        return element.textOf(of + "Type").orElse("0")
                + "_"
                + element.textOf(of + "Version").orElse("0");
    }

    private static long serial(XmlElement element) throws ProjectException {
        try {
            return Integer.toUnsignedLong(Integer.parseUnsignedInt(element.text()));
        } catch (NumberFormatException e) {
            throw element.wrong("\"" + element.text() + "\" is not a number of 32 bits");
        }
    }

    private static Optional<Inet4Address> address(XmlElement controller) throws ProjectException {
        Optional<XmlElement> element = controller.child("ipAddress");
        if (element.isEmpty() || element.get().text().isEmpty()) {
            return Optional.empty();
        }
        String text = element.get().text();
        try {
            return Optional.of(Inet4Address.ofLiteral(text)); // asks no name server
        } catch (IllegalArgumentException e) {
            throw element.get().wrong("\"" + text + "\" is not an IPv4 address");
        }
    }

    private static ProjectObject object(XmlElement element) throws ProjectException {
        return new ProjectObject(
                element.textOf("name").orElse(element.requireText("nameOnCLU")),
                element.requireText("nameOnCLU"),
                element.textOf("type").orElse(""),
                features(element),
                !element.textOf("visible").orElse("true").equals("false"),
                element.textOf("isRemoved").orElse("false").equals("true"));
    }

    /** Returns the features of both lists; those of one list may be in another list inside it. */
    private static List<Feature> features(XmlElement object) throws ProjectException {
        List<Feature> features = new ArrayList<>();
        for (String list : List.of("features", "embeddedFeaturesList")) {
            Deque<XmlElement> waiting = new ArrayDeque<>();
            object.child(list).ifPresent(waiting::push);
            while (!waiting.isEmpty()) {
                XmlElement element = waiting.pop();
                XmlElement resolved = element.resolved();
                if (resolved.child("index").isPresent() && resolved.child("name").isPresent()) {
                    features.add(feature(resolved));
                } else {
                    element.children.reversed().forEach(waiting::push);
                }
            }
        }
        return features.stream().distinct().toList();
    }

    private static Feature feature(XmlElement element) throws ProjectException {
        XmlElement index = element.require("index");
        try {
            return new Feature(
                    element.requireText("name"),
                    Integer.parseUnsignedInt(index.text()),
                    element.textOf("unit"));
        } catch (NumberFormatException e) {
            throw index.wrong("\"" + index.text() + "\" is not a number");
        }
    }
}
