// SPDX-License-Identifier: Apache-2.0
package examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The blocks of Java in the documents, and the compiler for them. */
final class Snippets {
    /** The top of the repository, seen from the folder of this module. */
    static final Path TOP = Path.of("").toAbsolutePath().getParent();

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\\R(.*?)^```");

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /** One for all, since it keeps the libraries open. */
    private static final StandardJavaFileManager FILES =
            COMPILER.getStandardFileManager(null, null, null);

    private Snippets() {}

    /** README.md and the documents in docs/. */
    static List<Path> documents() {
        try (Stream<Path> docs = Files.list(TOP.resolve("docs"))) {
            return Stream.concat(Stream.of(TOP.resolve("README.md")), docs)
                    .filter(path -> path.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<String> in(Path document) {
        return BLOCK.matcher(text(document)).results().map(found -> found.group(1)).toList();
    }

    static String text(Path document) {
        try {
            return Files.readString(document);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * What the compiler says against a source; nothing when it is content. Its classes are put into
     * {@code folder}; warnings count for nothing.
     */
    static String compile(String name, String source, Path folder) {
        return errors(Map.of(name, source), folder, List.of()).stream()
                .map(each -> each.getLineNumber() + ": " + each.getMessage(null))
                .collect(Collectors.joining("\n"));
    }

    /**
     * Compiles sources, which are named by their packages and classes, in one go.
     *
     * @return the names of those that the compiler says something against; it may say nothing
     *     against others that it has not looked at by then
     */
    static Set<String> broken(Map<String, String> sources, Path folder, String... options) {
        return errors(sources, folder, List.of(options)).stream()
                .map(each -> each.getSource().toUri().getPath())
                .map(path -> path.substring(1, path.length() - ".java".length()))
                .collect(Collectors.toSet());
    }

    private static List<Diagnostic<? extends JavaFileObject>> errors(
            Map<String, String> sources, Path folder, List<String> more) {
        var said = new ArrayList<Diagnostic<? extends JavaFileObject>>();
        var options = new ArrayList<>(List.of("--release", "25", "-proc:none", "-d"));
        options.add(folder.toString());
        options.addAll(List.of("-cp", System.getProperty("java.class.path")));
        options.addAll(more);
        List<JavaFileObject> units = new ArrayList<>();
        sources.forEach((name, source) -> units.add(unit(name, source)));
        boolean compiles = COMPILER.getTask(null, FILES, said::add, options, null, units).call();
        said.removeIf(each -> each.getKind() != Diagnostic.Kind.ERROR);
        assertEquals(compiles, said.isEmpty(), said::toString);
        return said;
    }

    private static JavaFileObject unit(String name, String source) {
        return new SimpleJavaFileObject(
                URI.create("memory:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return source;
            }
        };
    }

    /** Runs {@code main} of a compiled program, as the launcher of Java would. */
    static void run(String name, Path folder) throws ReflectiveOperationException {
        try {
            var loader = new URLClassLoader(new URL[] {folder.toUri().toURL()});
            Class<?> program = loader.loadClass(name);
            var constructor = program.getDeclaredConstructor();
            constructor.setAccessible(true);
            var main = program.getDeclaredMethod("main");
            main.setAccessible(true);
            main.invoke(constructor.newInstance());
        } catch (MalformedURLException e) {
            throw new AssertionError(e);
        }
    }
}
