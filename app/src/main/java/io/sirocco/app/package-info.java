// SPDX-License-Identifier: Apache-2.0

/** The command line: it reads options, assembles the parts and runs them. */
package io.sirocco.app;
