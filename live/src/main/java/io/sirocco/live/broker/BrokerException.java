// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

/** The broker cannot be reached, or has refused. */
public final class BrokerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public BrokerException(String message) {
        super(message);
    }

    public BrokerException(String message, Throwable cause) {
        super(message, cause);
    }
}
