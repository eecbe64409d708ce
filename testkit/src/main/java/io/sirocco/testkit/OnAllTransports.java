// SPDX-License-Identifier: Apache-2.0
package io.sirocco.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * As {@link OnEachTransport}, over each of {@link TestedTransports#all()} in each run: for a few
 * classes of each module that between them use all that a transport does.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedClass
@MethodSource("io.sirocco.testkit.TestedTransports#all")
@Timeout(60)
public @interface OnAllTransports {}
