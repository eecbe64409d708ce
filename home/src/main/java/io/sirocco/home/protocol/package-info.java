// SPDX-License-Identifier: Apache-2.0
/** Datagrams of the CLU protocol as pure functions over bytes: cipher, requests, responses. */
package io.sirocco.home.protocol;
