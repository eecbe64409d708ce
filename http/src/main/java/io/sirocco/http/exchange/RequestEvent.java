// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * The JFR event of a request and its response, from the end of the headers on. Created only while
 * it is being recorded.
 */
@Name("sirocco.Request")
@Label("Request")
@Category("Sirocco")
@StackTrace(false)
final class RequestEvent extends Event {
    @Label("Method")
    String method;

    @Label("Target")
    String target;

    @Label("Route")
    @Description("The pattern that matched; empty when none did")
    String route;

    @Label("Status")
    @Description("0 when the connection ended before there was a response")
    int status;

    @Label("Body Received")
    @DataAmount
    long bytesIn;

    @Label("Body Sent")
    @DataAmount
    long bytesOut;

    @Label("Complete")
    @Description("Whether the system has taken all of the response")
    boolean complete;

    /** Begins an event, or returns null if it is not being recorded. */
    static RequestEvent start() {
        var event = new RequestEvent(); // the compiler sees that it does not escape when disabled
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        return event;
    }

    /** Ends the event, which is dropped if it is shorter than the recording's threshold. */
    void commit(ExchangeReport report) {
        end();
        if (!shouldCommit()) {
            return;
        }
        method = report.method();
        target = report.target();
        route = report.route();
        status = report.status();
        bytesIn = report.bytesIn();
        bytesOut = report.bytesOut();
        complete = report.isComplete();
        commit();
    }
}
