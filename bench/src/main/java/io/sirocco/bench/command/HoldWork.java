// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import io.sirocco.bench.hold.Span;

/**
 * Published runs that {@code bench hold} repeats, those of http-kit of January 2013, and a larger
 * one. They had 20,000 connections to each of 20 and 30 addresses of the server; here it is our own
 * addresses that differ, and there are as many.
 */
enum HoldWork {
    /** A client that waits 10 to 99 s between two requests for up to 10 KiB. */
    HTTP_KIT_400K("http-kit-400k", 400_000, new Span(10_000, 99_000), new Span(0, 10_239), 5_000),
    /** Half of that time, and less than half of the length. */
    HTTP_KIT_600K("http-kit-600k", 600_000, new Span(5_000, 50_000), new Span(0, 4_095), 6_000),

    /** The first one with a million connections. */
    HTTP_KIT_1M("http-kit-1m", 1_000_000, new Span(10_000, 99_000), new Span(0, 10_239), 8_000);

    /** How the option names it. */
    final String word;

    final int connections;
    final Span think; // milliseconds
    final Span length; // bytes
    final double ramp; // connections per second

    HoldWork(String word, int connections, Span think, Span length, double ramp) {
        this.word = word;
        this.connections = connections;
        this.think = think;
        this.length = length;
        this.ramp = ramp;
    }

    /**
     * @throws IllegalArgumentException when there is none of that name
     */
    static HoldWork named(String word) {
        for (HoldWork work : values()) {
            if (work.word.equals(word)) {
                return work;
            }
        }
        throw new IllegalArgumentException(
                "--work is http-kit-400k, http-kit-600k or http-kit-1m, not '" + word + "'");
    }
}
