// SPDX-License-Identifier: Apache-2.0

/** The admin server for operators: health, metrics, drain, reload, and a dashboard. */
package io.sirocco.app.admin;
