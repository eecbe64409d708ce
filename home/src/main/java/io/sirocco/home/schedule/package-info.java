// SPDX-License-Identifier: Apache-2.0
/** Rules of time as pure functions: cron, tables of a week, sunrise and sunset. */
package io.sirocco.home.schedule;
