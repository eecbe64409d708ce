// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One state of the folder: the texts of its files, and which script handles which path. A script
 * that could not be loaded keeps the text of an older version, whose files are then held, too.
 * Immutable.
 */
final class Version {
    /**
     * A script and the paths that it handles.
     *
     * @param id its index
     * @param parent the script of the closest directory above, or -1
     * @param key the path, such as {@code /foo/bar.html}; that of a directory ends with a slash
     * @param file the file, such as {@code /foo/bar.html.js}
     * @param version the number of the version whose text is used
     */
    record Endpoint(int id, int parent, String key, String file, int version) {
        Endpoint of(int other) {
            return new Endpoint(id, parent, key, file, other);
        }

        /** Returns the name of the module, which tells versions of a file apart. */
        String specifier() {
            return Version.specifier(version, file);
        }
    }

    final int number;
    final List<Endpoint> endpoints;

    /** The texts of each version that is in use, by file. */
    final Map<Integer, Map<String, String>> texts;

    private final Map<String, Integer> byKey = new HashMap<>();

    private Version(int number, List<Endpoint> endpoints, Map<Integer, Map<String, String>> texts) {
        this.number = number;
        this.endpoints = List.copyOf(endpoints);
        this.texts = Map.copyOf(texts);
        for (Endpoint each : endpoints) {
            byKey.put(each.key, each.id);
        }
    }

    static String specifier(int version, String file) {
        return "/@" + version + file;
    }

    /**
     * Creates a version.
     *
     * @param texts the text of each file, by its path in the folder
     */
    static Version of(int number, Map<String, String> texts) {
        var files = new HashMap<String, String>(); // by key
        for (String file : texts.keySet()) {
            String key = key(file);
            if (key != null && (file.endsWith("/_.js") || !files.containsKey(key))) {
                files.put(key, file);
            }
        }
        List<String> keys = new ArrayList<>(files.keySet());
        keys.sort( // directories before what is in them
                (a, b) -> {
                    boolean within = a.endsWith("/") != b.endsWith("/");
                    return within ? (a.endsWith("/") ? -1 : 1) : a.compareTo(b);
                });
        var endpoints = new ArrayList<Endpoint>();
        var known = new HashMap<String, Integer>();
        for (String key : keys) {
            int parent = directory(known, key, key.length() - 1);
            int id = endpoints.size();
            endpoints.add(new Endpoint(id, parent, key, files.get(key), number));
            known.put(key, id);
        }
        return new Version(number, endpoints, Map.of(number, Map.copyOf(texts)));
    }

    /** Returns the path that a file handles; null if it is for import only. */
    private static String key(String file) {
        if (!file.endsWith(".js") || file.contains("/#")) {
            return null;
        }
        int slash = file.lastIndexOf('/');
        String name = file.substring(slash + 1, file.length() - 3);
        return name.equals("_") || name.equals("?")
                ? file.substring(0, slash + 1)
                : file.substring(0, slash + 1) + name;
    }

    /** Returns the script of the closest directory that begins before {@code end}, or -1. */
    private static int directory(Map<String, Integer> known, String path, int end) {
        for (int slash = path.lastIndexOf('/', end);
                slash >= 0;
                slash = path.lastIndexOf('/', slash - 1)) {
            Integer id = known.get(path.substring(0, slash + 1));
            if (id != null && slash + 1 < path.length()) {
                return id;
            }
            if (slash == 0) {
                break;
            }
        }
        return -1;
    }

    /** Returns the index of the most specific script for a decoded path, or -1. */
    int find(String path) {
        Integer exact = byKey.get(path);
        return exact != null ? exact : directory(byKey, path, path.length() - 1);
    }

    /** Returns this version with other endpoints, and the texts that they need of {@code older}. */
    Version with(List<Endpoint> others, Version older) {
        var kept = new HashMap<>(texts);
        for (Endpoint each : others) {
            if (!kept.containsKey(each.version)) {
                kept.put(each.version, older.texts.get(each.version));
            }
        }
        return new Version(number, others, kept);
    }

    /** Returns the script of a key, or null. */
    Endpoint endpoint(String key) {
        Integer id = byKey.get(key);
        return id == null ? null : endpoints.get(id);
    }
}
