// SPDX-License-Identifier: Apache-2.0

/**
 * Open files. Internal to the module. {@link io.sirocco.net.file.SharedFile} is what is behind an
 * {@link io.sirocco.net.OpenFile}, and {@link io.sirocco.net.file.DiskReader} has the threads that
 * read what a loop would have to wait for. Any thread.
 */
package io.sirocco.net.file;
