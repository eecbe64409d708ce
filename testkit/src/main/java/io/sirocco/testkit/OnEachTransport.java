// SPDX-License-Identifier: Apache-2.0
package io.sirocco.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The tests of the class run once over each of {@link TestedTransports#named()}, and shall not be
 * able to tell which: the class has a field {@code @Parameter TransportKind transport}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedClass
@MethodSource("io.sirocco.testkit.TestedTransports#named")
@Tag("transports")
@Timeout(60)
public @interface OnEachTransport {}
