// SPDX-License-Identifier: Apache-2.0
/** Limits by the address of a client, in constant memory: what the modules of Sirocco share. */
package io.sirocco.net.limit;
