// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

/**
 * What can go wrong with a request, other than a status that the server meant; and with clients of
 * event channels, from {@link #REFUSED} on.
 */
public enum Failure {
    /** The connection could not be opened. */
    CONNECT("could not connect"),
    /** The connection was reset while a response was due. */
    RESET("reset"),
    /** The server closed the connection while a response was due. */
    CLOSED("closed early"),
    /** No response came within the time that the load allows. */
    TIMEOUT("timed out"),
    /** What came was no response of HTTP/1.1. */
    MALFORMED("malformed"),
    /** The server did not let the client in, or refused what it asked. */
    REFUSED("refused"),
    /** The answer was not what was asked for. */
    WRONG("wrong"),
    /** A message did not come. */
    LOST("lost"),
    /** A message came again. */
    DOUBLED("doubled"),
    /** A message came behind a later one. */
    DISORDERED("out of order"),
    /** Something came that nobody had asked for. */
    UNEXPECTED("unexpected");

    /** How reports name it. */
    public final String words;

    Failure(String words) {
        this.words = words;
    }
}
