// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.luaj.vm2.Prototype;

/**
 * Compiled calls of clients by their text: the 256 used last, up to 64 KiB of text. Used by one
 * thread, that of the scripts.
 */
final class ChunkCache {
    private static final int MAX_CHUNKS = 256;
    private static final int MAX_LENGTH = 64 << 10;
    private static final int MAX_CHUNK = 4 << 10; // a longer one is compiled each time

    private final Sandbox sandbox;
    private final Map<String, Prototype> chunks = new LinkedHashMap<>(64, 0.75f, true);
    private int length;

    ChunkCache(Sandbox sandbox) {
        this.sandbox = sandbox;
    }

    /** Returns {@code return SCRIPT}, compiled. */
    Prototype get(String script, String name) throws IOException {
        Prototype known = chunks.get(script);
        if (known != null) {
            return known;
        }
        Prototype chunk =
                sandbox.compile(("return " + script).getBytes(StandardCharsets.UTF_8), name);
        if (script.length() <= MAX_CHUNK) {
            chunks.put(script, chunk);
            length += script.length();
            removeEldest();
        }
        return chunk;
    }

    private void removeEldest() {
        Iterator<String> eldest = chunks.keySet().iterator();
        while (length > MAX_LENGTH || chunks.size() > MAX_CHUNKS) {
            length -= eldest.next().length();
            eldest.remove();
        }
    }

    int size() {
        return chunks.size();
    }
}
