// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.http.Response;

/** A request to the admin server that cannot be carried out. */
public final class Refused extends Exception {
    private static final long serialVersionUID = 1;
    private final int status;
    private final String code;

    /** Creates one with a status, a code for programs and a message for people. */
    public Refused(int status, String code, String message) {
        super(message, null, false, false);
        this.status = status;
        this.code = code;
    }

    /** Returns the error as the client gets it. */
    public Response response() {
        return ErrorObject.response(status, code, getMessage());
    }
}
