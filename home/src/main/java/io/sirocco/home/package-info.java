// SPDX-License-Identifier: Apache-2.0
/** The virtual controller, and a client of it. */
package io.sirocco.home;
