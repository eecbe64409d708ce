// SPDX-License-Identifier: Apache-2.0
/** Lua: the thread of a controller, its sandbox and its limits. */
package io.sirocco.home.lua;
