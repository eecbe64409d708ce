// SPDX-License-Identifier: Apache-2.0

/**
 * The transport over epoll(7), through the foreign-function API, for where io_uring is forbidden,
 * as in most containers. Internal to the module. Loop-confined.
 */
package io.sirocco.net.epoll;
