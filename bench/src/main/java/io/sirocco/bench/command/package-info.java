// SPDX-License-Identifier: Apache-2.0

/** The command line of the bench. */
package io.sirocco.bench.command;
