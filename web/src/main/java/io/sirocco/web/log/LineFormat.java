// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.log;

import io.sirocco.http.Monitor.CompletedRequest;
import io.sirocco.http.Monitor.RejectedRequest;

/** Writes what happened as one line each, line feed and all. Any thread. */
interface LineFormat {
    /** A request and its response. */
    void answered(CompletedRequest answered, Line line);

    /** A request whose head was refused. */
    void rejected(RejectedRequest rejected, Line line);

    /** So many lines could not be written before this one. */
    void dropped(long lines, long millis, Line line);
}
