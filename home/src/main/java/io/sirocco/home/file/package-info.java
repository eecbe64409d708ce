// SPDX-License-Identifier: Apache-2.0
/** The files of a controller. */
package io.sirocco.home.file;
