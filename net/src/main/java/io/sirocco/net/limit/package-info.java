// SPDX-License-Identifier: Apache-2.0
/** Limits by the address of a client, in constant memory, and of times: what the modules share. */
package io.sirocco.net.limit;
