// SPDX-License-Identifier: Apache-2.0

import static java.lang.classfile.ClassFile.ConstantPoolSharingOption.NEW_POOL;
import static java.lang.classfile.ClassFile.StackMapsOption.GENERATE_STACK_MAPS;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Gives the classes of a jar the form of Java 8, where theirs is older: {@code java Modernise.java
 * JAR}. picocli is compiled for Java 5, whose classes the JVM verifies in a slow way and keeps out
 * of an AOT cache; that costs a start some 60 ms. What the code does stays as it is.
 */
final class Modernise {
    private static final int WITHOUT_STACK_MAPS = 50;
    private static final ClassFileVersion NEW = ClassFileVersion.of(52, 0);

    /** The licence of what is changed asks for it. */
    private static final String NOTE =
            "The build of Sirocco gave these classes the form of Java 8. Nothing else was changed.\n";

    private static final ClassTransform TRANSFORM =
            ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL)
                    .andThen((to, e) -> to.with(e instanceof ClassFileVersion ? NEW : e));

    void main(String[] arguments) throws IOException {
        Path jar = Path.of(arguments[0]);
        Path next = Path.of(jar + ".next");
        try (var loader = new URLClassLoader(new URL[] {jar.toUri().toURL()});
                var in = new ZipFile(jar.toFile());
                var out = new ZipOutputStream(Files.newOutputStream(next))) {
            var types = ClassHierarchyResolver.ofResourceParsing(loader);
            var classes =
                    ClassFile.of(
                            GENERATE_STACK_MAPS,
                            NEW_POOL,
                            ClassFile.ClassHierarchyResolverOption.of(types));
            long time = 0;
            for (ZipEntry entry : Collections.list(in.entries())) {
                byte[] bytes = in.getInputStream(entry).readAllBytes();
                time = entry.getTime();
                add(out, entry.getName(), time, renewed(classes, entry.getName(), bytes));
            }
            add(out, "META-INF/MODIFIED", time, NOTE.getBytes(StandardCharsets.US_ASCII));
        }
        Files.move(next, jar, StandardCopyOption.REPLACE_EXISTING);
    }

    private static byte[] renewed(ClassFile classes, String name, byte[] bytes) {
        if (!name.endsWith(".class")) return bytes;
        var type = classes.parse(bytes);
        return type.majorVersion() >= WITHOUT_STACK_MAPS
                ? bytes
                : classes.transformClass(type, TRANSFORM);
    }

    /** With the time of the entry that it replaces, so that the same jar comes of the same jar. */
    private static void add(ZipOutputStream out, String name, long time, byte[] bytes)
            throws IOException {
        var entry = new ZipEntry(name);
        entry.setTime(time);
        out.putNextEntry(entry);
        out.write(bytes);
    }
}
