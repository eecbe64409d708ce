// SPDX-License-Identifier: Apache-2.0
/** What the modules of Sirocco log with. */
package io.sirocco.net.log;
