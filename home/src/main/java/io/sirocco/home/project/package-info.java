// SPDX-License-Identifier: Apache-2.0
/** Project files (.omp) of Object Manager. */
package io.sirocco.home.project;
