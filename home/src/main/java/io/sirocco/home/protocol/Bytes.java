// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.protocol;

import java.security.MessageDigest;
import java.util.Arrays;

/** A fixed sequence of bytes, equal to another of the same content. Immutable. */
public final class Bytes {
    private final byte[] content;

    private Bytes(byte[] content) {
        this.content = content;
    }

    /** Returns a copy of {@code content}. */
    public static Bytes of(byte[] content) {
        return new Bytes(content.clone());
    }

    /** Returns a copy of {@code content[from..to)}. */
    public static Bytes of(byte[] content, int from, int to) {
        return new Bytes(Arrays.copyOfRange(content, from, to));
    }

    /** Returns how many there are. */
    public int length() {
        return content.length;
    }

    /** Returns the byte at {@code index}. */
    public byte at(int index) {
        return content[index];
    }

    /** Returns a copy. */
    public byte[] toArray() {
        return content.clone();
    }

    /** Copies all of them to {@code target[at..]}. */
    void copyTo(byte[] target, int at) {
        System.arraycopy(content, 0, target, at, content.length);
    }

    /** Compares in a time that depends on the length only: the content may be a key. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes bytes && MessageDigest.isEqual(content, bytes.content);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(content);
    }

    /** Returns the length only: the content may be a key. */
    @Override
    public String toString() {
        return content.length + " bytes";
    }
}
