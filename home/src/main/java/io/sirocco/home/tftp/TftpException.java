// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.tftp;

import java.io.IOException;

/** The end of a transfer by an error that one side has sent to the other. Immutable. */
public final class TftpException extends IOException {
    private static final long serialVersionUID = 1;

    private final TftpError error;
    private final boolean received;

    /** An error of ours. The text is sent, so it must not contain a path of this machine. */
    TftpException(TftpError error, String text) {
        this(error, text, null);
    }

    /** An error of ours with its cause, which is for the log only. */
    TftpException(TftpError error, String text, IOException cause) {
        this(error, text, cause, false);
    }

    private TftpException(TftpError error, String text, IOException cause, boolean received) {
        super(text, cause);
        this.error = error;
        this.received = received;
    }

    /** An error of the peer. */
    static TftpException received(Packet.Failure failure) {
        return new TftpException(TftpError.of(failure.code()), failure.text(), null, true);
    }

    /** Returns the code. */
    public TftpError error() {
        return error;
    }

    /** Returns whether the peer sent it; otherwise it did not respond, or it has sent too much. */
    public boolean isReceived() {
        return received;
    }
}
