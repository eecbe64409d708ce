// SPDX-License-Identifier: Apache-2.0

/** Libraries that are loaded on demand. */
package io.sirocco.app.library;
