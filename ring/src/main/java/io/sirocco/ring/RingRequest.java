// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring;

import clojure.lang.APersistentMap;
import clojure.lang.IMapEntry;
import clojure.lang.IObj;
import clojure.lang.IPersistentCollection;
import clojure.lang.IPersistentMap;
import clojure.lang.ISeq;
import clojure.lang.MapEntry;
import clojure.lang.PersistentArrayMap;
import clojure.lang.Util;
import java.util.Iterator;

/**
 * The request map of Ring: a persistent map whose values are computed on access. {@code assoc}
 * keeps what was set beside the request; every other change returns an ordinary map. It stays valid
 * after the response, except that the body can no longer be read. Immutable.
 */
public final class RingRequest extends APersistentMap implements IObj {
    private static final long serialVersionUID = 1;
    private static final Object ABSENT = new Object();

    private final transient RequestValues values;
    private final transient IPersistentMap set; // by assoc, over the values
    private final transient IPersistentMap meta; // null without
    private transient IPersistentMap all; // null until all of it is asked for

    RingRequest(RequestValues values) {
        this(values, PersistentArrayMap.EMPTY, null);
    }

    private RingRequest(RequestValues values, IPersistentMap set, IPersistentMap meta) {
        this.values = values;
        this.set = set;
        this.meta = meta;
    }

    /** Returns what the server knows of the request. */
    RequestValues known() {
        return values;
    }

    private IPersistentMap all() {
        if (all == null) {
            IPersistentMap map = values.all();
            for (ISeq s = set.seq(); s != null; s = s.next()) {
                IMapEntry each = (IMapEntry) s.first();
                map = map.assoc(each.key(), each.val());
            }
            all = (IPersistentMap) ((IObj) map).withMeta(meta);
        }
        return all;
    }

    @Override
    public Object valAt(Object key) {
        return valAt(key, null);
    }

    @Override
    public Object valAt(Object key, Object notFound) {
        if (set != PersistentArrayMap.EMPTY) {
            Object value = set.valAt(key, ABSENT);
            if (value != ABSENT) {
                return value;
            }
        }
        return values.get(key, notFound);
    }

    @Override
    public boolean containsKey(Object key) {
        return valAt(key, ABSENT) != ABSENT;
    }

    @Override
    public IMapEntry entryAt(Object key) {
        Object value = valAt(key, ABSENT);
        return value == ABSENT ? null : MapEntry.create(key, value);
    }

    @Override
    public IPersistentMap assoc(Object key, Object value) {
        return new RingRequest(values, set.assoc(key, value), meta);
    }

    @Override
    public IPersistentMap assocEx(Object key, Object value) {
        if (containsKey(key)) {
            throw Util.runtimeException("Key already present");
        }
        return assoc(key, value);
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
        return (IPersistentCollection) PersistentArrayMap.EMPTY.withMeta(meta);
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

    @Override
    public IPersistentMap meta() {
        return meta;
    }

    @Override
    public IObj withMeta(IPersistentMap meta) {
        return meta == this.meta ? this : new RingRequest(values, set, meta);
    }

    private Object writeReplace() {
        return all();
    }
}
