// SPDX-License-Identifier: Apache-2.0
/** The newest messages, in the memory of a node. */
package io.sirocco.live.log;
