// SPDX-License-Identifier: Apache-2.0
/**
 * Transfer of files over TFTP (RFC 1350): server and client. A transfer is a virtual thread that
 * runs {@link io.sirocco.home.tftp.Transfer} over its {@link io.sirocco.home.tftp.TransferSocket},
 * whose packets and timers come from a loop.
 */
package io.sirocco.home.tftp;
