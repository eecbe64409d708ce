// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.library;

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
 * A folder of libraries beside the program's jar that only some commands or settings need. They are
 * loaded on first use: on the class path the JVM would open all of them at each start. In tests
 * they are on the class path. Any thread.
 */
public final class LibraryFolder {
    private final String name;
    private final String users;
    private final String member;
    private ClassLoader loader; // null until it is needed

    /**
     * Describes a folder.
     *
     * @param name its name
     * @param users the package of this program whose classes, and those of its subpackages, use the
     *     libraries; nothing else may refer to these classes by name
     * @param member the name of a class in the folder
     */
    public LibraryFolder(String name, String users, String member) {
        this.name = name;
        this.users = users + ".";
        this.member = member.replace('.', '/') + ".class";
    }

    /**
     * Loads a class that uses the libraries.
     *
     * @throws IllegalArgumentException if they are not installed
     */
    public Class<?> load(String className) {
        try {
            return loader().loadClass(className);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private synchronized ClassLoader loader() {
        if (loader == null) {
            ClassLoader own = LibraryFolder.class.getClassLoader();
            if (own.getResource(member) != null) {
                loader = own;
            } else {
                loader = new Libraries(jars(), own);
            }
        }
        return loader;
    }

    private List<URL> jars() {
        Path folder = program().resolveSibling(name);
        var urls = new ArrayList<URL>();
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> jars = Files.newDirectoryStream(folder, "*.jar")) {
                for (Path jar : jars) urls.add(url(jar));
            } catch (IOException e) {
                throw new IllegalArgumentException(
                        "the libraries in " + folder + " cannot be read: " + e.getMessage(), e);
            }
        }
        if (urls.isEmpty()) {
            throw new IllegalArgumentException(
                    "the libraries that this needs are not installed: there are none in " + folder);
        }
        return urls;
    }

    /** Returns the jar of this program, or the folder of its classes. */
    private static Path program() {
        try {
            return Path.of(
                    LibraryFolder.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static URL url(Path file) {
        try {
            return file.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Has the classes of the program that use the libraries, and the libraries. */
    private final class Libraries extends URLClassLoader {
        static {
            registerAsParallelCapable();
        }

        Libraries(List<URL> jars, ClassLoader parent) {
            super("sirocco-" + name, jars.toArray(URL[]::new), parent);
            addURL(url(program()));
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(users)) return super.loadClass(name, resolve);
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known == null ? findClass(name) : known;
            }
        }
    }
}
