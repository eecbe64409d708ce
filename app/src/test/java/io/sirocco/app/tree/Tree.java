// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.tree;

import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.attribute.InnerClassInfo;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The compiled classes of the modules that are built before this one, as they lie in their folders.
 * Immutable.
 *
 * @param types all classes, nested ones among them
 * @param exported packages that a module exports to everybody
 */
record Tree(List<Type> types, Set<String> exported) {
    private static final List<String> MODULES =
            List.of("net", "openssl", "http", "web", "live", "script", "home", "bench", "app");

    /** A type in a descriptor or a signature, or as an operand. */
    private static final Pattern REFERENCE = Pattern.compile("L?(io/sirocco/[\\w/$]+)");

    /**
     * A class.
     *
     * @param binaryName as in {@code io.sirocco.net.Loop$1}
     * @param isVisible whether it and all classes around it are public, or protected
     * @param uses names of the outermost classes that it refers to
     */
    record Type(String module, String binaryName, boolean isVisible, Set<String> uses) {
        /** The name of the outermost class. */
        String name() {
            return outermost(binaryName);
        }

        boolean isNested() {
            return binaryName.contains("$");
        }

        String packageName() {
            return packageOf(name());
        }
    }

    static String packageOf(String name) {
        return name.substring(0, name.lastIndexOf('.'));
    }

    static Tree read() throws IOException {
        var types = new ArrayList<Type>();
        var exported = new HashSet<String>();
        for (String module : MODULES) {
            Path classes = Path.of("..", module, "target", "classes");
            try (Stream<Path> files = Files.walk(classes)) {
                for (Path file : files.filter(Tree::isClass).toList()) {
                    ClassModel model = ClassFile.of().parse(file);
                    if (file.endsWith("module-info.class")) {
                        exported.addAll(exports(model));
                    } else {
                        types.add(type(module, model));
                    }
                }
            }
        }
        return new Tree(List.copyOf(types), Set.copyOf(exported));
    }

    private static boolean isClass(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".class") && !name.equals("package-info.class");
    }

    private static List<String> exports(ClassModel module) {
        return module.findAttribute(Attributes.module()).orElseThrow().exports().stream()
                .filter(each -> each.exportsTo().isEmpty())
                .map(each -> each.exportedPackage().asSymbol().name())
                .toList();
    }

    private static Type type(String module, ClassModel model) {
        String name = model.thisClass().asInternalName().replace('/', '.');
        var uses = new HashSet<String>();
        for (PoolEntry entry : model.constantPool()) {
            String text =
                    switch (entry) {
                        case ClassEntry each -> each.asInternalName();
                        case Utf8Entry each -> each.stringValue();
                        default -> "";
                    };
            REFERENCE
                    .matcher(text)
                    .results()
                    .forEach(each -> uses.add(outermost(each.group(1).replace('/', '.'))));
        }
        uses.remove(outermost(name));
        return new Type(module, name, isVisible(model), uses);
    }

    private static boolean isVisible(ClassModel model) {
        return model.flags().has(AccessFlag.PUBLIC)
                && model.findAttribute(Attributes.innerClasses()).stream()
                        .flatMap(all -> all.classes().stream())
                        .filter(each -> isAround(each, model.thisClass()))
                        .allMatch(Tree::isOpen);
    }

    private static boolean isAround(InnerClassInfo each, ClassEntry type) {
        String name = each.innerClass().asInternalName();
        return type.asInternalName().equals(name) || type.asInternalName().startsWith(name + "$");
    }

    private static boolean isOpen(InnerClassInfo each) {
        return each.has(AccessFlag.PUBLIC) || each.has(AccessFlag.PROTECTED);
    }

    private static String outermost(String name) {
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }
}
