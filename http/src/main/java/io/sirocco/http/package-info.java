// SPDX-License-Identifier: Apache-2.0

/** HTTP: bytes to a function. */
package io.sirocco.http;
