// SPDX-License-Identifier: Apache-2.0
/** Transfer of files over TFTP (RFC 1350). */
package io.sirocco.home.tftp;
