// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring;

import clojure.lang.APersistentMap;
import clojure.lang.IMapEntry;
import clojure.lang.IPersistentCollection;
import clojure.lang.IPersistentMap;
import clojure.lang.ISeq;
import clojure.lang.MapEntry;
import clojure.lang.PersistentArrayMap;
import clojure.lang.PersistentHashMap;
import io.sirocco.http.Headers;
import java.util.Iterator;
import java.util.Locale;

/**
 * The {@code :headers} of a request: a persistent map from names in lower case to values. A lookup
 * creates the string of that value and no other; lines of the same name are joined by commas, those
 * of {@code cookie} by semicolons. A change returns an ordinary map. Immutable.
 */
final class RingHeaders extends APersistentMap {
    private static final long serialVersionUID = 1;

    private final transient Headers headers;
    private transient IPersistentMap all; // null until all of them are asked for

    RingHeaders(Headers headers) {
        this.headers = headers;
    }

    /** Returns the value of a name in lower case, or null. */
    String get(String name) {
        int count = headers.size();
        for (int i = 0; i < count; i++) {
            if (headers.isNamed(i, name)) {
                return isLowerCase(name) ? joined(name, i) : null;
            }
        }
        return null;
    }

    private String joined(String name, int first) {
        String value = headers.value(first);
        StringBuilder list = null;
        for (int i = first + 1; i < headers.size(); i++) {
            if (headers.isNamed(i, name)) {
                if (list == null) {
                    list = new StringBuilder(value);
                }
                list.append(name.equals("cookie") ? "; " : ",").append(headers.value(i));
            }
        }
        return list == null ? value : list.toString();
    }

    private static boolean isLowerCase(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c >= 'A' && c <= 'Z') {
                return false;
            }
        }
        return true;
    }

    private IPersistentMap all() {
        if (all == null) {
            IPersistentMap map =
                    headers.size() > 8 ? PersistentHashMap.EMPTY : PersistentArrayMap.EMPTY;
            for (int i = 0; i < headers.size(); i++) {
                String name = headers.name(i).toLowerCase(Locale.ROOT);
                if (!map.containsKey(name)) {
                    map = map.assoc(name, joined(name, i));
                }
            }
            all = map;
        }
        return all;
    }

    @Override
    public Object valAt(Object key) {
        return key instanceof String name ? get(name) : null;
    }

    @Override
    public Object valAt(Object key, Object notFound) {
        Object value = valAt(key);
        return value == null ? notFound : value;
    }

    @Override
    public boolean containsKey(Object key) {
        return valAt(key) != null;
    }

    @Override
    public IMapEntry entryAt(Object key) {
        Object value = valAt(key);
        return value == null ? null : MapEntry.create(key, value);
    }

    @Override
    public IPersistentMap assoc(Object key, Object value) {
        return all().assoc(key, value);
    }

    @Override
    public IPersistentMap assocEx(Object key, Object value) {
        return all().assocEx(key, value);
    }

    @Override
    public IPersistentMap without(Object key) {
        return all().without(key);
    }

    @Override
    public int count() {
        return all().count();
    }

    @Override
    public IPersistentCollection empty() {
        return PersistentArrayMap.EMPTY;
    }

    @Override
    public ISeq seq() {
        return all().seq();
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Iterator iterator() {
        return all().iterator();
    }

    /** Writes an ordinary map. */
    private Object writeReplace() {
        return all();
    }
}
