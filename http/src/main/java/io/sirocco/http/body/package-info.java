// SPDX-License-Identifier: Apache-2.0
/**
 * Bodies of requests and responses, apart from how a version of HTTP frames them.
 *
 * <p>In reading order: {@link io.sirocco.http.body.RequestBody} is the buffer between the stream
 * that receives a body and the handler that reads it, {@link io.sirocco.http.body.BodyClock} the
 * time that the client takes. {@link io.sirocco.http.body.MultipartParser} takes a form with files
 * apart, and {@link io.sirocco.http.body.MultipartReader} feeds it from a stream. {@link
 * io.sirocco.http.body.Segments} are a response body at hand; the writers turn other forms of one
 * into an {@link io.sirocco.http.BodyWriter}.
 *
 * <p>Thread rule: the buffer of a request is loop-confined; readers and writers belong to the
 * handler's thread.
 */
package io.sirocco.http.body;
