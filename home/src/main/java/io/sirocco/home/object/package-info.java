// SPDX-License-Identifier: Apache-2.0
/** The objects of the home that scripts create and use. */
package io.sirocco.home.object;
