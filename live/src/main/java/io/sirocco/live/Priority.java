// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

/** When a listener is called among others of the same event: the highest first. */
public enum Priority {
    LOWEST,
    LOW,
    NORMAL,
    HIGH,
    HIGHEST
}
