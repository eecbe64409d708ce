// SPDX-License-Identifier: Apache-2.0

/** A program that embeds the server. On the class path it runs without this file. */
module embedded {
    requires io.sirocco.http;
}
