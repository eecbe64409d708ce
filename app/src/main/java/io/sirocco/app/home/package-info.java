// SPDX-License-Identifier: Apache-2.0
/** {@code sirocco home}: a virtual controller, and its tools. */
package io.sirocco.app.home;
