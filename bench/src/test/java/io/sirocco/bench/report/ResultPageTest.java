// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class ResultPageTest {
    private static final String URL = "http://127.0.0.1:8080/?a=1&b=<script>";
    private static final String COMMAND = "./sirocco bench http '" + URL + "'";

    @Test
    void isWellFormedAndLoadsNothing() throws Exception {
        var page = Xml.parse(ResultPage.of(URL, COMMAND, SampleResult.of(0.95)));
        String text = page.getDocumentElement().getTextContent();
        for (String part :
                List.of(URL, COMMAND, "122,842", "734 µs", "p99.9", "timed out", "503", "--rate")) {
            assertTrue(text.contains(part), part);
        }
        assertEquals(List.of(), Xml.loads(page));
        assertEquals(3, Xml.elements(page, "svg").size());
    }

    @Test
    void nothingWasAnswered() throws Exception {
        var page = Xml.parse(ResultPage.of(URL, COMMAND, SampleResult.nothing()));
        String text = page.getDocumentElement().getTextContent();
        assertTrue(text.contains("Nothing was answered."));
        assertTrue(text.contains("could not connect"));
        assertEquals(0, Xml.elements(page, "svg").size());
    }
}
