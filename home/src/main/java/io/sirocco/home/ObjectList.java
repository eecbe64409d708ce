// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.ObjectSnapshot.Feature;
import io.sirocco.home.lua.NumberText;
import io.sirocco.home.lua.ScriptThread;
import io.sirocco.home.object.HomeObject;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaValue;

/**
 * The objects that the scripts of one state have created, in the order of their creation. Used by
 * one thread, that of the scripts, except for {@link #snapshots} and {@link #end}.
 */
final class ObjectList {
    private static final int MAX_TEXT = 200;
    private static final Pattern PASSWORD = Pattern.compile("(://[^:/@]*:)[^/]*@");

    private final ScriptThread scripts;
    private final List<Entry> entries = new ArrayList<>();

    private final AtomicReference<CompletableFuture<List<ObjectSnapshot>>> waiting =
            new AtomicReference<>();
    private volatile boolean ended;

    private record Entry(int type, boolean gate, HomeObject object) {}

    ObjectList(ScriptThread scripts) {
        this.scripts = scripts;
    }

    /** Returns whether it is that of a state, and not of its successor. */
    boolean isOf(ScriptThread state) {
        return scripts == state;
    }

    void add(int type, boolean gate, HomeObject object) {
        entries.add(new Entry(type, gate, object));
    }

    /**
     * Returns the objects as they are when the thread of the scripts gets to it. While one list
     * waits for that thread, further ones are the same. Any thread.
     */
    CompletableFuture<List<ObjectSnapshot>> snapshots() {
        var fresh = new CompletableFuture<List<ObjectSnapshot>>();
        CompletableFuture<List<ObjectSnapshot>> before = waiting.compareAndExchange(null, fresh);
        if (before != null) {
            return before.copy();
        }
        if (ended || !scripts.execute("list of objects", () -> list(fresh))) {
            waiting.set(null);
            fresh.completeExceptionally(failure(ended ? "have ended" : "are busy"));
        }
        return fresh.copy();
    }

    private void list(CompletableFuture<List<ObjectSnapshot>> result) {
        waiting.set(null);
        try {
            result.complete(entries.stream().map(ObjectList::snapshot).toList());
        } finally {
            result.completeExceptionally(failure("cannot be listed"));
        }
    }

    /** Called when the scripts that created these objects have ended. Any thread. */
    void end() {
        ended = true;
        CompletableFuture<List<ObjectSnapshot>> last = waiting.get();
        if (last != null) {
            last.completeExceptionally(failure("have ended"));
        }
    }

    private static IllegalStateException failure(String what) {
        return new IllegalStateException("the scripts " + what);
    }

    private static ObjectSnapshot snapshot(Entry entry) {
        FeatureNames names = FeatureNames.of(entry.type, entry.gate);
        var indexes = new TreeSet<>(entry.object.stored());
        indexes.addAll(names.indexes());
        List<Feature> features = new ArrayList<>();
        for (int index : indexes) {
            LuaValue value = value(entry.object, index);
            features.add(new Feature(index, names.of(index), value.typename(), text(value)));
        }
        return new ObjectSnapshot(entry.object.name(), entry.type, entry.gate, features);
    }

    private static LuaValue value(HomeObject object, int index) {
        try {
            return object.get(index);
        } catch (LuaError e) {
            return LuaValue.NIL;
        }
    }

    private static String text(LuaValue value) {
        if (value.istable()) {
            return "{...}";
        }
        String text = PASSWORD.matcher(NumberText.of(value)).replaceAll("$1...@");
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT - 3) + "...";
    }
}
