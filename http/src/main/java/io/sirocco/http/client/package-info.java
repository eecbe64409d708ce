// SPDX-License-Identifier: Apache-2.0

/**
 * An HTTP/1.1 client on event loops.
 *
 * <p>The API: {@link io.sirocco.http.client.HttpClient} sends a {@link
 * io.sirocco.http.client.ClientRequest} to an {@link io.sirocco.http.client.HttpOrigin} and returns
 * a {@link io.sirocco.http.client.ClientResponse} with its {@link
 * io.sirocco.http.client.ResponseBody}, or fails with an {@link
 * io.sirocco.http.client.HttpClientException}. {@link io.sirocco.http.client.HttpClientSettings}
 * has the limits and timeouts, {@link io.sirocco.http.client.HttpClientStats} the counters.
 *
 * <p>Inside, in the order in which a request travels: {@code ClientExchange} is one request and its
 * response. {@code LoopPool} has the connections of one loop, {@code OriginPool} those to one
 * origin and the requests that wait for one; {@code Connecting} opens one. {@code ClientConnection}
 * is the protocol: it writes by {@code RequestEncoder} and {@code RequestBodySender}, whose source
 * may be a {@code WriterSource}, reads by {@code h1.ResponseReader}, and fills the {@code
 * BodyBuffer} that the response body takes from.
 *
 * <p>Everything inside is loop-confined and takes no lock. A request begins at once where its
 * caller is the loop's own code or a virtual thread that the loop carries ({@code Loop.runInLoop});
 * what any other thread does, and all that is read of a body, is handed over by {@code
 * Loop.execute}. Two things that may block have virtual threads, which hand over what they find:
 * the look-up of {@code Connecting}, and the writer of a {@code WriterSource}.
 */
package io.sirocco.http.client;
