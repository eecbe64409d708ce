// SPDX-License-Identifier: Apache-2.0
/**
 * JavaScript endpoints and filters. A request crosses three kinds of threads: {@link
 * io.sirocco.script.Scripts} runs where the handlers of its route run and hands the request to the
 * {@link io.sirocco.script.ScriptPool}; a {@link io.sirocco.script.Worker} runs the script in the
 * context of its thread; and the {@link io.sirocco.script.ScriptRequest} brings the result back.
 */
package io.sirocco.script;
