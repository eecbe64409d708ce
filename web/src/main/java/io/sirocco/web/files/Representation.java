// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.http.BodySegment;
import io.sirocco.http.Headers;
import io.sirocco.http.Response;
import io.sirocco.net.OpenFile;
import io.sirocco.web.compress.Coding;
import io.sirocco.web.conditional.ByteRange;
import io.sirocco.web.conditional.Multirange;
import io.sirocco.web.conditional.Ranges;
import java.util.Arrays;

/**
 * A file in one content coding, or in none, with its bytes, its validators and the responses made
 * from it (RFC 9110 8). Immutable.
 */
final class Representation {
    /** As it is on the disk when null. */
    final Coding coding;

    final Store store;
    private final Description description;
    private final String tag;
    private final Headers fields;
    private final Response notModified;

    private Representation(
            Coding coding, Store store, Description description, String tag, Headers fields) {
        this.coding = coding;
        this.store = store;
        this.description = description;
        this.tag = tag;
        this.fields = fields;
        this.notModified = with(description.validators(tag), Response.empty(304));
    }

    private static Representation of(
            Coding coding, Store store, Facts facts, Description description, boolean ranges) {
        String tag = EntityTags.of(facts, coding);
        return new Representation(
                coding, store, description, tag, description.fields(coding, tag, ranges));
    }

    /** One whose bytes are those of a file, which is retained for it. */
    static Representation of(Coding coding, Facts facts, Description description, OpenFile file) {
        return of(coding, new Store.Disk(file), facts, description, true);
    }

    /** One whose bytes are those of a file, and must not change any more. */
    static Representation of(Coding coding, Facts facts, Description description, byte[] bytes) {
        return of(coding, new Store.Unmade(), facts, description, true).with(bytes);
    }

    /** One that is compressed when somebody asks for it: of its parts nobody can be sure. */
    static Representation unmade(Coding coding, Facts facts, Description description) {
        return of(coding, new Store.Unmade(), facts, description, false);
    }

    /** The same with its bytes in memory, which must not change any more. */
    Representation with(byte[] bytes) {
        var memory = new Store.Memory(bytes, with(fields, Response.bytes(bytes)));
        return new Representation(coding, memory, description, tag, fields);
    }

    /**
     * What is answered; null when its file has been closed, and all begins anew. Its store is not
     * {@link Store.Unmade}, unless the client has it.
     */
    Response answer(FileRequest asked, int mostRanges, long nowMillis) {
        if (asked.unconditional()) {
            return whole();
        }
        long now = nowMillis / 1000;
        long modified = description.modified();
        return switch (Preconditions.of(asked, tag, modified, now)) {
            case NOT_MODIFIED -> notModified;
            case FAILED -> failed();
            case PASS ->
                    asked.range() != null
                                    && mostRanges > 0
                                    && Preconditions.rangeApplies(asked, tag, modified, now)
                            ? ranges(asked.range(), mostRanges)
                            : whole();
        };
    }

    /** Returns whether the conditions of a request let it be answered without the bytes. */
    boolean answersWithoutBytes(FileRequest asked, long nowMillis) {
        return !asked.unconditional()
                && Preconditions.of(asked, tag, description.modified(), nowMillis / 1000)
                        != Preconditions.PASS;
    }

    private Response whole() {
        return store instanceof Store.Memory memory ? memory.whole() : with(fields, bare(null));
    }

    /** All of it, or a range, without fields; null as above. */
    private Response bare(ByteRange range) {
        return switch (store) {
            case Store.Memory(byte[] bytes, _) ->
                    Response.bytes(range == null ? bytes : slice(bytes, range));
            case Store.Disk(OpenFile file) when !file.retain() -> null;
            case Store.Disk(OpenFile file) ->
                    range == null
                            ? Response.file(file, 0, file.size())
                            : Response.file(file, range.first(), range.length());
            case Store.Unmade _ -> throw new IllegalStateException("it has no bytes yet");
        };
    }

    /**
     * RFC 9110 15.5.13, with the tag of what there is. Without Cache-Control: with it a cache would
     * keep this and give it to those who have no condition (RFC 9111 3).
     */
    private Response failed() {
        return Response.text("Precondition Failed").status(412).header("ETag", tag);
    }

    private Response ranges(String field, int most) {
        long size = store.size();
        return switch (Ranges.parse(field, size, most)) {
            case Ranges.All _ -> whole();
            case Ranges.None _ ->
                    Response.text("Range Not Satisfiable")
                            .status(416)
                            .header("Content-Range", "bytes */" + size);
            case Ranges.Some(var ranges) when ranges.size() == 1 -> part(ranges.getFirst(), size);
            case Ranges.Some(var ranges) ->
                    Multirange.of(ranges, size, this::segment, description.type(), fields);
        };
    }

    private Response part(ByteRange range, long size) {
        Response part = with(fields.with("Content-Range", range.of(size)), bare(range));
        return part == null ? null : part.status(206);
    }

    /** The bytes of a range; null as above. */
    private BodySegment segment(ByteRange range) {
        return switch (store) {
            case Store.Memory(byte[] bytes, _) -> new BodySegment.Bytes(slice(bytes, range));
            case Store.Disk(OpenFile file) ->
                    file.retain()
                            ? new BodySegment.Region(file, range.first(), range.length())
                            : null;
            case Store.Unmade _ -> throw new IllegalStateException("it has no bytes yet");
        };
    }

    private static byte[] slice(byte[] bytes, ByteRange range) {
        return Arrays.copyOfRange(bytes, (int) range.first(), (int) range.last() + 1);
    }

    /** All of it as a page of another status, which has no validators; null as above. */
    Response page(int status) {
        Response page = with(description.plain(coding), bare(null));
        return page == null ? null : page.status(status);
    }

    private static Response with(Headers fields, Response response) {
        return response == null ? null : response.headers(fields);
    }
}
