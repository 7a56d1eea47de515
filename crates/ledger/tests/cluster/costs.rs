//! What the store costs: its log, and the CPU of primary and standby together.

use ledger::bench::{self, Costs, Load};

use crate::server::{Cluster, settings};

fn costs(cluster: &Cluster, load: Load) -> Costs {
    let crawl = cluster.crawl(None);
    let settings = settings("tamis_node", &[cluster.primary.port], &crawl);
    bench::run(&settings, load).unwrap()
}

#[test]
fn a_page_costs_at_most_six_kilobytes_of_log() {
    let Some(cluster) = Cluster::start(false) else {
        return;
    };
    let load = Load {
        clients: 4,
        groups: 12,
        pages: 32,
    };
    let costs = costs(&cluster, load);
    let bytes = costs.log_bytes / load.pages_in_all();
    println!("{bytes} bytes of log a page");
    assert!(bytes <= 6_000, "{bytes} bytes of log a page");
    assert!(
        bytes >= 500,
        "{bytes} bytes of log a page: nothing was written"
    );
    assert_eq!(costs.near, 0, "texts at random are not near");
}

#[test]
#[ignore = "some minutes: a measurement"]
fn costs_at_1_8_and_32_clients() {
    let Some(cluster) = Cluster::start(true) else {
        return;
    };
    for (clients, groups) in [(1, 200), (8, 40), (32, 12)] {
        let load = Load {
            clients,
            groups,
            pages: 32,
        };
        let costs = costs(&cluster, load);
        let pages = load.pages_in_all();
        println!(
            "{clients} clients, {pages} pages: {:?} of CPU a page, {} bytes of log a page; \
             means: follow {:?}, open {:?}, close {:?}; 95 %: {:?}, {:?}, {:?}; {:?} in all",
            costs.cpu.unwrap_or_default() / pages as u32,
            costs.log_bytes / pages,
            costs.follow.mean(),
            costs.open.mean(),
            costs.close.mean(),
            costs.follow.percentile(95),
            costs.open.percentile(95),
            costs.close.percentile(95),
            costs.wall,
        );
    }
}
