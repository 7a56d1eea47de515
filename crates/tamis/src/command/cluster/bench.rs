//! `tamis cluster bench`: what a ledger's server can carry.

use std::time::Duration;

use ledger::bench::{Costs, Load};
use ledger::postgres::{InitPlan, drop_crawl, init};
use serde_json::json;

use super::{Place, failed};
use crate::exit::Exit;
use crate::output::Output;

pub(super) fn bench(
    place: &Place,
    clients: &[u16],
    groups: u64,
    output: &Output,
) -> anyhow::Result<Exit> {
    let place = Place {
        crawl: Some(format!("bench_{}", std::process::id())),
        config: place.config.clone(),
        store: place.store.clone(),
        password_file: place.password_file.clone(),
    };
    let settings = place.settings(&place.read()?)?;
    for &clients in clients {
        let load = Load {
            clients,
            groups: groups.div_ceil(clients.into()),
            pages: 32,
        };
        init(&settings, InitPlan::default()).map_err(|error| failed(error, &settings))?;
        let measured = ledger::bench::run(&settings, load);
        let dropped = drop_crawl(&settings);
        let costs = measured.map_err(|error| failed(error, &settings))?;
        dropped.map_err(|error| failed(error, &settings))?;
        show(load, &costs, output)?;
    }
    Ok(Exit::Done)
}

fn show(load: Load, costs: &Costs, output: &Output) -> anyhow::Result<()> {
    let pages = load.pages_in_all();
    let ms = |time: Duration| time.as_secs_f64() * 1_000.0;
    let cpu = costs.cpu.map(|cpu| ms(cpu) / pages as f64);
    let calls = [
        ("follow", &costs.follow),
        ("open", &costs.open),
        ("close", &costs.close),
    ];
    if output.json {
        let mut value = json!({
            "clients": load.clients, "pages": pages, "near": costs.near,
            "server_cpu_ms_per_page": cpu, "log_bytes_per_page": costs.log_bytes / pages,
            "seconds": costs.wall.as_secs_f64(),
        });
        for (name, times) in calls {
            value[format!("{name}_ms")] =
                json!({ "mean": ms(times.mean()), "p95": ms(times.percentile(95)) });
        }
        output.value(&value)?;
        return Ok(());
    }
    let cpu = cpu.map_or("CPU not seen from here".to_owned(), |cpu| {
        format!("{cpu:.2} ms of PostgreSQL's CPU a page")
    });
    let calls = calls.map(|(name, times)| {
        format!(
            "{name} {:.1} ({:.1})",
            ms(times.mean()),
            ms(times.percentile(95))
        )
    });
    output.line(format!(
        "{:>3} clients, {pages} pages: {cpu}, {} bytes of log a page; ms, mean (95 %): {}",
        load.clients,
        costs.log_bytes / pages,
        calls.join(", ")
    ))?;
    Ok(())
}
