// SPDX-License-Identifier: Apache-2.0

/**
 * Files of a directory as a web site: conditions, ranges, compression and a cache. {@link
 * io.sirocco.web.files.FileServer} is the way in.
 */
package io.sirocco.web.files;
