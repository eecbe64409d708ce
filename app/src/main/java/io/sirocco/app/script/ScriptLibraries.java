// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.script;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Loads the libraries of scripts from the folder {@code script} beside the program's jar, when the
 * first script is configured: on the class path the JVM would open all of them at each start. In
 * tests they are on the class path. Any thread.
 */
public final class ScriptLibraries {
    private static final String PACKAGE = "io.sirocco.app.script.js.";

    private ScriptLibraries() {}

    /** The libraries, which are loaded once. */
    private static final class Loaded {
        static final OpenScripts.Opener OPENER = load();
    }

    /**
     * Returns what opens folders of scripts.
     *
     * @throws IllegalArgumentException if the libraries are not installed
     */
    public static OpenScripts.Opener opener() {
        if (!onClassPath() && jars().isEmpty()) {
            throw new IllegalArgumentException(
                    "the libraries of scripts are not installed: " + folder() + " has none");
        }
        return Loaded.OPENER;
    }

    private static boolean onClassPath() {
        return ScriptLibraries.class.getClassLoader().getResource("io/sirocco/script/Scripts.class")
                != null;
    }

    private static OpenScripts.Opener load() {
        ClassLoader own = ScriptLibraries.class.getClassLoader();
        ClassLoader loader = onClassPath() ? own : new Libraries(jars(), own);
        try {
            return (OpenScripts.Opener)
                    loader.loadClass(PACKAGE + "JavaScripts")
                            .getDeclaredConstructor()
                            .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the libraries of scripts cannot be loaded", e);
        }
    }

    /** Returns the jar of this program, or the folder of its classes. */
    private static Path program() {
        try {
            return Path.of(
                    ScriptLibraries.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path folder() {
        return program().resolveSibling("script");
    }

    private static List<URL> jars() {
        var urls = new ArrayList<URL>();
        if (!Files.isDirectory(folder())) return urls;
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(folder(), "*.jar")) {
            for (Path jar : jars) urls.add(url(jar));
            return urls;
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "the libraries of scripts cannot be read: " + e.getMessage(), e);
        }
    }

    private static URL url(Path file) throws MalformedURLException {
        return file.toUri().toURL();
    }

    /** Has the classes of the program that use the libraries, and the libraries. */
    private static final class Libraries extends URLClassLoader {
        static {
            registerAsParallelCapable();
        }

        Libraries(List<URL> jars, ClassLoader parent) {
            super("sirocco-script", jars.toArray(URL[]::new), parent);
            try {
                addURL(url(program()));
            } catch (MalformedURLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(PACKAGE)) return super.loadClass(name, resolve);
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known == null ? findClass(name) : known;
            }
        }
    }
}
