// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class LinuxTest {

    @Test
    void errnoLiesWhereTheCodeLooksForIt() {
        var layout = Linker.Option.captureStateLayout();

        assertEquals(layout.byteOffset(PathElement.groupElement("errno")), Linux.ERRNO_OFFSET);
    }

    @Test
    void aCallThatFailsSaysWhy() {
        int notOpen = -1;

        assertEquals(-9, Linux.bind(notOpen, MemorySegment.NULL), "EBADF");
    }
}
