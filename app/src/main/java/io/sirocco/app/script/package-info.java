// SPDX-License-Identifier: Apache-2.0

/**
 * Scripts in front of routes. The libraries that they need are not on the class path: {@link
 * io.sirocco.app.script.ScriptLibraries} loads them, with the package {@code js}, when a
 * configuration has scripts. So nothing else refers to that package.
 */
package io.sirocco.app.script;
