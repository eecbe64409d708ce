// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.tftp;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * Text as it is sent (RFC 764): a line ends with CR and LF, and a CR that ends no line is followed
 * by NUL. Here lines end with LF. Any thread.
 */
final class NetAscii {
    private NetAscii() {}

    /** Reads local text, and returns it as it is sent. Used by one thread. */
    static InputStream encoded(InputStream local) {
        return new FilterInputStream(local) {
            private int pending = -1;

            @Override
            public int read() throws IOException {
                if (pending >= 0) {
                    int next = pending;
                    pending = -1;
                    return next;
                }
                int next = in.read();
                if (next == '\n') {
                    pending = '\n';
                    return '\r';
                }
                if (next == '\r') {
                    pending = 0;
                }
                return next;
            }

            @Override
            public int read(byte[] into, int at, int length) throws IOException {
                int count = 0;
                for (int next; count < length && (next = read()) >= 0; count++) {
                    into[at + count] = (byte) next;
                }
                return count == 0 && length > 0 ? -1 : count;
            }
        };
    }

    /** Takes what was received, and writes it as local text. Used by one thread. */
    static OutputStream decoded(OutputStream local) {
        return new FilterOutputStream(local) {
            private boolean carriageReturn;

            @Override
            public void write(int next) throws IOException {
                if (carriageReturn) {
                    carriageReturn = false;
                    if (next == '\n') {
                        out.write('\n');
                        return;
                    }
                    out.write('\r');
                    if (next == 0) {
                        return;
                    }
                }
                if (next == '\r') {
                    carriageReturn = true;
                } else {
                    out.write(next);
                }
            }

            @Override
            public void close() throws IOException {
                if (carriageReturn) {
                    carriageReturn = false;
                    out.write('\r'); // the last byte, with nothing behind it
                }
                super.close();
            }
        };
    }
}
