// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.project;

/**
 * The key of a project and its initialization vector, 16 bytes each. Its text never shows them.
 * Immutable.
 */
public final class ProjectKey {
    private final byte[] key;
    private final byte[] iv;

    /** Creates a key from copies of the arrays, 16 bytes each. */
    public ProjectKey(byte[] key, byte[] iv) {
        this.key = key.clone();
        this.iv = iv.clone();
    }

    /** Returns a copy of the key. */
    public byte[] key() {
        return key.clone();
    }

    /** Returns a copy of the initialization vector. */
    public byte[] iv() {
        return iv.clone();
    }

    @Override
    public String toString() {
        return "ProjectKey[...]";
    }
}
