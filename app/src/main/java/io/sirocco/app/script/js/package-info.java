// SPDX-License-Identifier: Apache-2.0

/** What uses the module {@code script}: loaded with its libraries. */
package io.sirocco.app.script.js;
