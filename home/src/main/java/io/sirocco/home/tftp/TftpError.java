// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.tftp;

/** The error codes of RFC 1350 5; the number of each is its place. Immutable. */
public enum TftpError {
    /** Anything else: see the text. */
    NOT_DEFINED,
    /** There is no such file. */
    FILE_NOT_FOUND,
    /** The file, or the server, is not for this client. */
    ACCESS_VIOLATION,
    /** The disk is full, or the file is longer than allowed. */
    DISK_FULL,
    /** The packet means nothing here. */
    ILLEGAL_OPERATION,
    /** The packet came from a port that takes no part in this transfer. */
    UNKNOWN_TRANSFER,
    /** The file exists already. */
    FILE_EXISTS,
    /** There is no such user. */
    NO_SUCH_USER;

    /** Returns the error with a number; {@link #NOT_DEFINED} for numbers that RFC 1350 lacks. */
    static TftpError of(int code) {
        return code < values().length ? values()[code] : NOT_DEFINED;
    }
}
