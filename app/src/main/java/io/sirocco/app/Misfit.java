// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.InvalidConfiguration;
import io.sirocco.app.config.Problem;

/**
 * An option that is well-formed, and cannot be used nevertheless: a certificate without its key, a
 * list of users with a password that is not hashed.
 */
final class Misfit extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final transient Object[] path;

    /**
     * Says what {@code why} says.
     *
     * @param path where the option stands, as {@link Configuration#where} takes it
     */
    Misfit(RuntimeException why, Object... path) {
        super(why.getMessage(), why);
        this.path = path;
    }

    Problem problem(Configuration configuration) {
        return configuration.problem(getMessage(), "", path);
    }

    InvalidConfiguration in(Configuration configuration) {
        return configuration.invalid(getMessage(), "", path);
    }
}
