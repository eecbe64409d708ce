# SPDX-License-Identifier: Apache-2.0
# Varnish as a peer. The script puts values in for @HOST@ and @PORT@, those of the upstream.
vcl 4.1;

backend upstream {
    .host = "@HOST@";
    .port = "@PORT@";
}

sub vcl_recv {
    # Varnish sets X-Forwarded-For by itself, and Via of responses.
    set req.http.Via = "1.1 varnish";
    set req.http.X-Forwarded-Proto = "http";
    set req.http.X-Forwarded-Host = req.http.Host;
    if (req.url ~ "^/proxy/") {
        return (pass);
    }
    if (req.url ~ "^/cached/") {
        return (hash);
    }
    return (synth(404));
}
