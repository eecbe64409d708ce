// SPDX-License-Identifier: Apache-2.0
/** What nodes share, in a Redis or Valkey. */
package io.sirocco.live.redis;
