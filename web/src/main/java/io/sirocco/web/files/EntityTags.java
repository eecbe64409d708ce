// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.web.compress.Coding;

/** Entity tags (RFC 9110 8.8.3), made of what the system says of a file. Any thread. */
final class EntityTags {
    private static final String DIGITS =
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

    private EntityTags() {}

    /**
     * A strong tag, which differs for each content and each coding: 96 bits mixed from the file's
     * identity, its size and its time in nanoseconds, so that it tells nobody any of them.
     */
    static String of(Facts facts, Coding coding) {
        long identity =
                facts.identity().toString().chars().asLongStream().reduce(7, EntityTags::mix);
        long first = mix(mix(identity, facts.modifiedNanos()), facts.size());
        long second = mix(mix(facts.size(), ~identity), facts.modifiedNanos());
        var tag = new StringBuilder(24).append('"');
        for (int bit = 0; bit < 60; bit += 6) {
            tag.append(DIGITS.charAt((int) (first >>> bit) & 63));
        }
        for (int bit = 0; bit < 36; bit += 6) {
            tag.append(DIGITS.charAt((int) (second >>> bit) & 63));
        }
        if (coding != null) {
            tag.append('.').append(coding.token());
        }
        return tag.append('"').toString();
    }

    private static long mix(long state, long next) {
        long z = (state ^ next) + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
