// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.net.OpenFile;
import io.sirocco.web.compress.AcceptEncoding;
import io.sirocco.web.compress.Coding;
import java.util.ArrayList;
import java.util.List;

/**
 * A file and all of its representations. It holds a reference to each file that it keeps open.
 * Immutable.
 *
 * @param facts of the plain file and of the precompressed ones, by which changes are detected
 * @param settled whether the last change is so old that another one would have another time
 * @param plain the file as it is on the disk
 * @param precompressed compressed files beside it on the disk
 * @param compressed representations that are compressed when they are first requested
 */
record FileEntry(
        String path,
        List<Facts> facts,
        boolean settled,
        Representation plain,
        Representations precompressed,
        Representations compressed)
        implements Entry {

    /**
     * Returns the representation for a client (RFC 9110 12.1). A precompressed file goes first. A
     * range is taken of a representation that is not compressed here.
     */
    Representation select(FileRequest asked) {
        if (precompressed.isEmpty() && compressed.isEmpty()) {
            return plain;
        }
        var accepted = AcceptEncoding.of(asked.acceptEncoding());
        Representation found = precompressed.best(accepted);
        if (found == null && (asked.range() == null || !accepted.takesIdentity())) {
            found = compressed.best(accepted);
        }
        return found == null ? plain : found;
    }

    /** Returns the same entry with the bytes of one compressed representation. */
    FileEntry with(Representation made) {
        return new FileEntry(path, facts, settled, plain, precompressed, compressed.with(made));
    }

    /** The same as an entry of its own, whose weight is computed anew. */
    FileEntry copy() {
        return new FileEntry(path, facts, settled, plain, precompressed, compressed);
    }

    /** Returns the same entry without a representation that is not worth its memory. */
    FileEntry without(Coding coding) {
        return new FileEntry(
                path, facts, settled, plain, precompressed, compressed.without(coding));
    }

    /** Bytes of memory that it takes, an open file counting so many. */
    long weight(long openFile) {
        long sum = weight(plain, openFile);
        for (Representation one : precompressed.all()) sum += weight(one, openFile);
        for (Representation one : compressed.all()) sum += weight(one, openFile);
        return sum;
    }

    private static long weight(Representation one, long openFile) {
        return 512 + one.store.memory(openFile);
    }

    /** One more who holds it; false when one of its files has been closed already. */
    boolean retain() {
        var held = new ArrayList<OpenFile>();
        for (OpenFile file : files()) {
            if (!file.retain()) {
                held.forEach(OpenFile::release);
                return false;
            }
            held.add(file);
        }
        return true;
    }

    void release() {
        files().forEach(OpenFile::release);
    }

    List<OpenFile> files() {
        var files = new ArrayList<OpenFile>(4);
        if (plain.store instanceof Store.Disk(OpenFile file)) files.add(file);
        for (Representation one : precompressed.all()) {
            if (one.store instanceof Store.Disk(OpenFile file)) files.add(file);
        }
        return files;
    }
}
