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
 * method that another thread may call says so.
 */
package io.sirocco.http.exchange;
