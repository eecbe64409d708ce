// SPDX-License-Identifier: Apache-2.0

/** An HTTP/1.1 client on the event loops: {@link io.sirocco.http.client.HttpClient}. */
package io.sirocco.http.client;
