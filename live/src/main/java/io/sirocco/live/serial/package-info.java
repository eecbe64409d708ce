// SPDX-License-Identifier: Apache-2.0
/** Tasks in one order, from many threads. */
package io.sirocco.live.serial;
