// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.http.BodySegment;
import io.sirocco.http.Headers;
import io.sirocco.http.HttpDate;
import io.sirocco.http.Response;
import io.sirocco.net.OpenFile;
import io.sirocco.web.conditional.ByteRange;
import io.sirocco.web.conditional.EntityTagList;
import io.sirocco.web.conditional.Multirange;
import io.sirocco.web.conditional.Ranges;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/**
 * Creates the response to a client from a stored one: whole, in part (RFC 9110 14) or, by the
 * client's conditions, without its body (RFC 9111 4.3.2). Any thread, but for a body that arrives.
 */
final class Reply {
    private static final int MAX_RANGES = 16;

    /** The headers of a 304 (RFC 9110 15.4.5), and what describes the cache. */
    private static final List<String> NOT_MODIFIED =
            List.of(
                    "Age",
                    "Cache-Control",
                    "Cache-Status",
                    "CDN-Cache-Control",
                    "Content-Location",
                    "Date",
                    "ETag",
                    "Expires",
                    "Last-Modified",
                    "Vary");

    /**
     * The headers of a 416 response. {@code Cache-Control} is not among them, so that no cache
     * returns it to requests without a range.
     */
    private static final List<String> OF_416 =
            List.of("Age", "Cache-Status", "Date", "ETag", "Vary");

    private Reply() {}

    /**
     * Creates the response.
     *
     * @param file the open file of a body on the disk, retained, which the response releases; else
     *     null
     * @param headers those of the stored response, and what the cache adds
     */
    static Response of(
            StoredResponse stored,
            CacheRequest request,
            OpenFile file,
            Headers headers,
            CacheSettings settings) {
        if (stored.facts.status() != 200) {
            return whole(stored, file, headers);
        }
        if (notModified(stored, request, settings)) {
            release(file);
            return Response.empty(304).headers(only(NOT_MODIFIED, headers));
        }
        String range = request.head ? null : request.list("Range");
        if (range == null || !rangeApplies(stored, request, settings)) {
            return whole(stored, file, headers);
        }
        long size = stored.body.length();
        if (size < 0) {
            return whole(stored, file, headers); // a server may ignore a range (RFC 9110 14.2)
        }
        return switch (Ranges.parse(range, size, MAX_RANGES)) {
            case Ranges.All _ -> whole(stored, file, headers);
            case Ranges.None _ -> {
                release(file);
                yield Response.text("Range Not Satisfiable")
                        .status(416)
                        .headers(only(OF_416, headers))
                        .contentType("text/plain; charset=utf-8")
                        .setHeader("Content-Range", "bytes */" + size);
            }
            case Ranges.Some(var ranges) when ranges.size() == 1 ->
                    part(stored, ranges.getFirst(), file, headers);
            case Ranges.Some(var ranges) -> parts(stored, ranges, file, headers);
        };
    }

    private static Response whole(StoredResponse stored, OpenFile file, Headers headers) {
        int status = stored.facts.status();
        Response response =
                switch (stored.body) {
                    case StoredBody.Memory(byte[] bytes) ->
                            Response.forwarded(status, headers, bytes);
                    case StoredBody.Disk disk ->
                            Response.forwarded(
                                    status, headers, List.of(region(file, 0, disk.length())));
                    case StoredBody.Arriving(SharedBody body, long length) -> {
                        Response all =
                                Response.forwarded(status, headers, length, body.reader(0, -1));
                        yield length < 0 ? all.trailers(body::trailers) : all;
                    }
                };
        return stored.trailers.size() > 0 ? response.trailers(() -> stored.trailers) : response;
    }

    private static Response part(
            StoredResponse stored, ByteRange range, OpenFile file, Headers headers) {
        Headers partial = headers.with("Content-Range", range.of(stored.body.length()));
        return switch (stored.body) {
            case StoredBody.Memory(byte[] bytes) ->
                    Response.forwarded(206, partial, slice(bytes, range));
            case StoredBody.Disk _ ->
                    Response.forwarded(
                            206, partial, List.of(region(file, range.first(), range.length())));
            case StoredBody.Arriving(SharedBody body, long _) ->
                    Response.forwarded(
                            206,
                            partial,
                            range.length(),
                            body.reader(range.first(), range.last() + 1));
        };
    }

    private static Response parts(
            StoredResponse stored, List<ByteRange> ranges, OpenFile file, Headers headers) {
        String type = headers.first("Content-Type").orElse("application/octet-stream");
        Response response =
                switch (stored.body) {
                    case StoredBody.Memory(byte[] bytes) ->
                            Multirange.of(
                                    ranges,
                                    bytes.length,
                                    range -> new BodySegment.Bytes(slice(bytes, range)),
                                    type,
                                    headers);
                    case StoredBody.Disk disk ->
                            Multirange.of(
                                    ranges,
                                    disk.length(),
                                    range -> {
                                        file.retain();
                                        return region(file, range.first(), range.length());
                                    },
                                    type,
                                    headers);
                    case StoredBody.Arriving _ -> whole(stored, file, headers);
                };
        release(file);
        return response;
    }

    private static byte[] slice(byte[] bytes, ByteRange range) {
        return Arrays.copyOfRange(bytes, (int) range.first(), (int) range.last() + 1);
    }

    private static BodySegment region(OpenFile file, long from, long length) {
        return new BodySegment.Region(file, from, length);
    }

    private static void release(OpenFile file) {
        if (file != null) {
            file.release();
        }
    }

    /** RFC 9111 4.3.2. */
    private static boolean notModified(
            StoredResponse stored, CacheRequest request, CacheSettings settings) {
        ResponseFacts facts = stored.facts;
        String tags = request.list("If-None-Match");
        if (tags != null) {
            return tags.strip().equals("*")
                    || facts.etag() != null
                            && EntityTagList.contains(tags, opaque(facts.etag()), true);
        }
        String since = request.list("If-Modified-Since");
        if (since == null) {
            return false;
        }
        OptionalLong seconds = HttpDate.parse(since, settings.clock().wallMillis() / 1000);
        long changed = facts.lastModified() >= 0 ? facts.lastModified() : facts.date();
        return seconds.isPresent() && changed / 1000 <= seconds.getAsLong();
    }

    /** The tag without the mark of a weak one: the weak comparison ignores it. */
    static String opaque(String tag) {
        return tag.startsWith("W/") ? tag.substring(2) : tag;
    }

    /** RFC 9110 13.1.5: {@code If-Range} needs a strong validator. */
    private static boolean rangeApplies(
            StoredResponse stored, CacheRequest request, CacheSettings settings) {
        String value = request.list("If-Range");
        if (value == null) {
            return true;
        }
        ResponseFacts facts = stored.facts;
        if (value.startsWith("\"") || value.startsWith("W/")) {
            return value.startsWith("\"") && value.equals(facts.etag());
        }
        OptionalLong seconds = HttpDate.parse(value, settings.clock().wallMillis() / 1000);
        return facts.strongDate()
                && seconds.isPresent()
                && seconds.getAsLong() * 1000 == facts.lastModified();
    }

    private static Headers only(List<String> names, Headers headers) {
        Headers kept = Headers.none();
        for (int i = 0; i < headers.size(); i++) {
            String name = headers.name(i);
            if (names.stream().anyMatch(name::equalsIgnoreCase)) {
                kept = kept.with(name, headers.value(i));
            }
        }
        return kept;
    }
}
