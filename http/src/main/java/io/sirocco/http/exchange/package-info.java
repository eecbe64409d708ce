// SPDX-License-Identifier: Apache-2.0
/**
 * One request and its response, whatever version of HTTP carries them.
 *
 * <p>In reading order: {@link io.sirocco.http.exchange.HttpStream} is what a version of HTTP
 * implements, and draws how the two talk; {@link io.sirocco.http.exchange.Dispatcher} finds the
 * route of a request, {@link io.sirocco.http.exchange.Exchange} decides when its handler runs and
 * for how long anybody waits, {@link io.sirocco.http.exchange.Responder} sends what the handler
 * returns, by its {@link io.sirocco.http.exchange.Content}. {@link
 * io.sirocco.http.exchange.RequestMessage}, {@link io.sirocco.http.exchange.MessageBody} and {@link
 * io.sirocco.http.exchange.ResponseMessage} are what handlers see. {@link
 * io.sirocco.http.exchange.LoopContext} is what all connections of a loop share, {@link
 * io.sirocco.http.exchange.ExchangeReport} what a monitor gets.
 *
 * <p>Thread rule: an exchange lives on its loop; its handler runs where the route says, and each
 * method that another thread may call says so. A handler that its loop does not carry sees the
 * request through {@link io.sirocco.http.exchange.RequestMessage#detach}, a copy of its headers;
 * the body and the response cross to the loop by {@link io.sirocco.http.loop.LoopTasks#call} and
 * {@code Responder.onLoop}. A section on the loop is between {@link io.sirocco.net.Loop#enter} and
 * {@link io.sirocco.net.Loop#exit}, so that a carried thread stays there.
 *
 * <p>The first response wins: {@code Exchange.responded} is set on the loop, and the content of a
 * later response is released.
 */
package io.sirocco.http.exchange;
