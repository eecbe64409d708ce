// SPDX-License-Identifier: Apache-2.0

/**
 * The admin server: health, metrics, drain, reload and the page with live charts, for operators.
 */
package io.sirocco.app.admin;
