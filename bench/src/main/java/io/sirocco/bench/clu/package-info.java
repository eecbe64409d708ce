// SPDX-License-Identifier: Apache-2.0
/** Load on a controller (CLU) of a Grenton smart home: requests over UDP. */
package io.sirocco.bench.clu;
