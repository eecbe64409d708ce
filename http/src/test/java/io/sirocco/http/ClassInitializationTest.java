// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.net.Loop;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.reflect.AccessFlag;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * No class creates, while it is initialised, a subclass that other code may create first: of two
 * threads that begin with one of them each, either waits for the other for ever (JLS 12.4.2). An
 * interface counts if it has default methods, since its subclasses initialise it then.
 */
class ClassInitializationTest {
    private final Map<String, ClassModel> classes = new HashMap<>();
    private final Map<String, Set<String>> users = new HashMap<>();

    @Test
    void noTwoThreadsWaitForEachOther() throws Exception {
        read(Server.class);
        read(Loop.class);
        classes.forEach(
                (name, model) ->
                        model.methods().stream()
                                .flatMap(method -> initialised(method).stream())
                                .forEach(
                                        used ->
                                                users.computeIfAbsent(used, _ -> new HashSet<>())
                                                        .add(name)));
        var found = new TreeSet<String>();
        classes.keySet().forEach(name -> found.addAll(deadlocks(name)));
        assertEquals(Set.of(), found);
    }

    /** Reads the classes of the module of {@code type}, from a folder or a jar. */
    private void read(Class<?> type) throws Exception {
        URI source = type.getProtectionDomain().getCodeSource().getLocation().toURI();
        Path place = Path.of(source);
        if (Files.isDirectory(place)) {
            readAll(place);
        } else {
            try (FileSystem jar = FileSystems.newFileSystem(place)) {
                readAll(jar.getPath("/"));
            }
        }
    }

    private void readAll(Path root) throws Exception {
        List<Path> files;
        try (Stream<Path> all = Files.walk(root)) {
            files = all.filter(file -> file.toString().endsWith(".class")).toList();
        }
        for (Path file : files) {
            ClassModel model = ClassFile.of().parse(Files.readAllBytes(file));
            classes.put(model.thisClass().asInternalName(), model);
        }
    }

    private Set<String> deadlocks(String name) {
        var found = new TreeSet<String>();
        var seen = new HashSet<String>();
        var next = new ArrayDeque<String>(initialisedBy(name));
        while (!next.isEmpty()) {
            String other = next.poll();
            if (other.equals(name) || !classes.containsKey(other) || !seen.add(other)) {
                continue;
            }
            var elsewhere = new HashSet<>(users.getOrDefault(other, Set.of()));
            elsewhere.removeAll(Set.of(name, other));
            if (!elsewhere.isEmpty() && initialisedWith(other).contains(name)) {
                found.add(name + " creates " + other + ", as do " + elsewhere);
            }
            next.addAll(initialisedBy(other));
        }
        return found;
    }

    /** What the static initialiser of a class initialises. */
    private Set<String> initialisedBy(String name) {
        var all = new HashSet<String>();
        for (MethodModel method : classes.get(name).methods()) {
            if (method.methodName().equalsString("<clinit>")) {
                all.addAll(initialised(method));
            }
        }
        return all;
    }

    /** The superclasses of a class, and its interfaces with default methods. */
    private Set<String> initialisedWith(String name) {
        var all = new HashSet<String>();
        ClassModel model = classes.get(name);
        if (model == null || model.flags().has(AccessFlag.INTERFACE)) {
            return all;
        }
        model.superclass()
                .ifPresent(
                        above -> {
                            all.add(above.asInternalName());
                            all.addAll(initialisedWith(above.asInternalName()));
                        });
        model.interfaces().forEach(each -> addInterface(each.asInternalName(), all));
        return all;
    }

    private void addInterface(String name, Set<String> all) {
        ClassModel model = classes.get(name);
        if (model == null) {
            return;
        }
        boolean hasDefault =
                model.methods().stream()
                        .anyMatch(
                                method ->
                                        !method.flags().has(AccessFlag.ABSTRACT)
                                                && !method.flags().has(AccessFlag.STATIC));
        if (hasDefault) {
            all.add(name);
        }
        model.interfaces().forEach(each -> addInterface(each.asInternalName(), all));
    }

    private static Set<String> initialised(MethodModel method) {
        var all = new HashSet<String>();
        method.code()
                .ifPresent(
                        code ->
                                code.forEach(
                                        element -> {
                                            switch (element) {
                                                case NewObjectInstruction created ->
                                                        all.add(
                                                                created.className()
                                                                        .asInternalName());
                                                case FieldInstruction field
                                                        when field.opcode() == Opcode.GETSTATIC
                                                                || field.opcode()
                                                                        == Opcode.PUTSTATIC ->
                                                        all.add(field.owner().asInternalName());
                                                case InvokeInstruction call
                                                        when call.opcode() == Opcode.INVOKESTATIC ->
                                                        all.add(call.owner().asInternalName());
                                                default -> {}
                                            }
                                        }));
        return all;
    }
}
