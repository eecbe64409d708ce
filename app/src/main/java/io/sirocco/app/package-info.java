// SPDX-License-Identifier: Apache-2.0

/** The command line: reads options, assembles the server and runs it. */
package io.sirocco.app;
