//! Serves the demo web on loopback until Ctrl-C, for crawls by hand:
//! `cargo run -p testweb --example serve_demo -- 8088`, then
//! `tamis crawl config/demo.toml --dir crawls/try`.

use std::net::{Ipv4Addr, SocketAddr};

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let port = std::env::args()
        .nth(1)
        .and_then(|port| port.parse().ok())
        .unwrap_or(8088);
    let web = testweb::demo::demo();
    let served = web
        .serve(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
        .await?;
    eprintln!("serving {} as a proxy for:", served.proxy());
    for host in web.hosts() {
        eprintln!("  http://{host}/");
    }
    tokio::signal::ctrl_c().await?;
    served.shutdown().await;
    Ok(())
}
