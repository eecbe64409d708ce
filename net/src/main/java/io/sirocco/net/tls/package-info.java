// SPDX-License-Identifier: Apache-2.0

/**
 * Certificates, keys and the TLS engine of the JDK. Internal to the module: it implements {@link
 * io.sirocco.net.TlsEngines} and reads {@link io.sirocco.net.Credential}s from files, and knows
 * neither connections nor loops.
 */
package io.sirocco.net.tls;
