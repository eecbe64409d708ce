// SPDX-License-Identifier: Apache-2.0

//! hyper as a peer, on one thread of tokio: peer PORT FILES

use std::{convert::Infallible, env, path::Path, sync::Arc};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpSocket;

fn response(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("css") => "text/css",
        Some("html") => "text/html",
        Some("jpg") => "image/jpeg",
        Some("js") => "text/javascript",
        Some("png") => "image/png",
        Some("svg") => "image/svg+xml",
        Some("txt") => "text/plain",
        _ => "application/octet-stream",
    }
}

async fn answer(request: Request<Incoming>, folder: Arc<str>) -> Result<Response<Full<Bytes>>, Infallible> {
    let path = request.uri().path();
    Ok(match path {
        "/plaintext" => response(StatusCode::OK, "text/plain", "Hello, World!"),
        "/echo" => response(StatusCode::OK, "text/plain", "Hello from the echo"),
        "/three" => response(StatusCode::OK, "text/plain", "abc"),
        _ => match path.strip_prefix("/files/").filter(|name| !name.contains('/')) {
            Some(name) => match tokio::fs::read(Path::new(&*folder).join(name)).await {
                Ok(bytes) => response(StatusCode::OK, content_type(name), bytes),
                Err(_) => response(StatusCode::NOT_FOUND, "text/plain", "There is no such file."),
            },
            None => response(StatusCode::NOT_FOUND, "text/plain", "There is no such page."),
        },
    })
}

async fn serve(port: u16, folder: Arc<str>) -> std::io::Result<()> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(([127, 0, 0, 1], port).into())?;
    let listener = socket.listen(4096)?;
    let mut http = http1::Builder::new();
    http.pipeline_flush(true);
    loop {
        // What fails is one connection that left before it was accepted, or there are too many: the next may work.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let folder = folder.clone();
        let service = service_fn(move |request| answer(request, folder.clone()));
        tokio::spawn(http.serve_connection(TokioIo::new(stream), service));
    }
}

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = env::args().collect();
    let port = arguments[1].parse().expect("a port");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().max_blocking_threads(1).build()?;
    runtime.block_on(serve(port, arguments[2].as_str().into()))
}
