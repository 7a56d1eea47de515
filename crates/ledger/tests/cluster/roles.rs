//! Who may do what.

use std::process::Command;

use ledger::postgres::{InitPlan, init};
use ledger::{Ledger, LedgerError, Offer, PostgresLedger, Refused, StoreUrl};

use crate::cards::{card, closing, join, keep, kept, offer, part};
use crate::server::{Cluster, new_crawl, settings};

/// A statement as a role; whether it was done.
fn may(cluster: &Cluster, role: &str, text: &str) -> bool {
    let port = cluster.primary.port.to_string();
    let mut psql = Command::new("psql");
    psql.args([
        "-X",
        "-q",
        "-v",
        "ON_ERROR_STOP=1",
        "-h",
        "127.0.0.1",
        "-U",
        role,
    ]);
    psql.args(["-p", &port, "-d", "postgres", "-c", text]);
    psql.output().unwrap().status.success()
}

#[test]
fn a_node_writes_through_the_functions_alone_and_a_reader_not_at_all() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let crawl = cluster.crawl(None);
    let schema = crawl.schema();
    let tables = [
        "meta",
        "facts",
        "node",
        "part",
        "admitted",
        "finished",
        "kept",
        "last_kept",
        "shares",
        "address",
        "migration",
    ];
    for role in ["tamis_node", "tamis_reader"] {
        for table in tables {
            assert!(
                may(cluster, role, &format!("select 1 from {schema}.{table}")),
                "{table}"
            );
            let delete = format!("delete from {schema}.{table}");
            assert!(!may(cluster, role, &delete), "{role} deletes from {table}");
            let insert = format!("insert into {schema}.{table} default values");
            assert!(!may(cluster, role, &insert), "{role} inserts into {table}");
        }
        assert!(!may(
            cluster,
            role,
            &format!("create table {schema}.x (n int)")
        ));
        let retire = format!("select {schema}.retire(1::smallint, 'dead')");
        assert!(!may(cluster, role, &retire), "{role} retires");
    }
    let tell = format!("select {schema}.tell(1::smallint, 1, 'x', '')");
    assert!(!may(cluster, "tamis_reader", &tell));
    let functions = format!(
        "select count(*) filter (where prosecdef and array_to_string(proconfig, ',') \
         like 'search_path={schema}, pg_temp%') = count(*) from pg_proc \
         where pronamespace = '{schema}'::regnamespace"
    );
    assert_eq!(cluster.primary.sql("postgres", &functions), "t");
}

#[test]
fn tables_are_made_once_and_newer_ones_are_told() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let crawl = cluster.crawl(None);
    let owner = settings("postgres", &[cluster.primary.port], &crawl);
    let version = ledger::postgres::TABLES;
    assert_eq!(
        init(&owner, InitPlan::default()).unwrap(),
        (version, version)
    );
    let insert = |number| {
        let text = format!("insert into {}.migration values ({number})", crawl.schema());
        cluster.primary.sql("postgres", &text);
        PostgresLedger::connect(settings("tamis_node", &[cluster.primary.port], &crawl))
    };
    assert!(insert(version + 1).is_ok());
    let refused = insert(version + 2).err();
    assert!(
        matches!(
            refused,
            Some(LedgerError::Refused(Refused::OtherTables { .. }))
        ),
        "{refused:?}"
    );
    let nowhere = settings("tamis_node", &[cluster.primary.port], &new_crawl());
    let missing = PostgresLedger::connect(nowhere).err().unwrap();
    assert!(
        missing.to_string().contains("tamis cluster init"),
        "{missing}"
    );
}

#[test]
fn a_node_that_does_not_fit_is_told_what_the_crawl_has() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let mut ledger = cluster.connect(&cluster.crawl(None));
    join(&mut ledger, "a");
    let mut other = card("b");
    other.config = b"[crawl]\nmax_pages = 7".to_vec();
    let refused = ledger.join(&other);
    let Err(LedgerError::Refused(Refused::OtherConfig { theirs })) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(theirs, card("a").config);
}

#[test]
fn rows_beyond_their_bounds_are_refused_before_they_are_sent() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let mut ledger = cluster.connect(&cluster.crawl(None));
    let me = join(&mut ledger, "a");
    let with = |change: fn(&mut Offer)| {
        let mut offer = offer(1, 1);
        change(&mut offer);
        offer
    };
    for offer in [
        with(|offer| offer.url.url = "x".repeat(9_000)),
        with(|offer| offer.url.context = vec![0; 20_000]),
    ] {
        let answer = ledger.open(me, &[offer], &[]);
        assert!(
            matches!(answer, Err(LedgerError::Bound { .. })),
            "{answer:?}"
        );
    }
    for url in [
        "http://h.example/\u{0}",
        "http://h.example/\u{4e2d}",
        "a\nb",
    ] {
        let mut offer = offer(1, 1);
        offer.url.url = url.into();
        let answer = ledger.open(me, &[offer], &[]);
        assert!(
            matches!(answer, Err(LedgerError::NotPlain { .. })),
            "{answer:?}"
        );
    }
    ledger.open(me, &[], &[]).unwrap();
    let mut row = kept(1, 1);
    row.print = vec![0; 5_000];
    let answer = ledger.close(&keep(closing(me, 1), 0, vec![row]));
    assert!(
        matches!(answer, Err(LedgerError::Bound { .. })),
        "{answer:?}"
    );
}

#[test]
fn over_tls_the_servers_name_and_its_authority_are_checked() {
    let Some(cluster) = Cluster::start(false) else {
        return;
    };
    let crawl = cluster.crawl(None);
    // A certificate for a.example, by an authority that no system knows.
    let tls = concat!(env!("CARGO_MANIFEST_DIR"), "/../fetcher/tests/loopback/tls");
    cluster.use_tls(&std::fs::read_to_string(format!("{tls}/good.pem")).unwrap());
    let connect = |name: &str, query: &str| {
        let port = cluster.primary.port;
        let url = format!(
            "postgres://tamis_node@{name}:{port}/postgres?hostaddr=127.0.0.1&sslmode=verify-full{query}"
        );
        let mut settings = settings("tamis_node", &[port], &crawl);
        settings.url = StoreUrl::parse(&url).unwrap();
        PostgresLedger::connect(settings)
    };
    let root = format!("&sslrootcert={tls}/authority.pem");
    let mut ledger = connect("a.example", &root).unwrap();
    join(&mut ledger, "a");
    let over_tls = "select bool_or(ssl) from pg_stat_ssl join pg_stat_activity using (pid) \
                    where usename = 'tamis_node'";
    assert_eq!(cluster.primary.sql("postgres", over_tls), "t");
    assert!(connect("b.example", &root).is_err(), "another name");
    assert!(connect("a.example", "").is_err(), "an unknown authority");
}

#[test]
fn a_role_that_has_lost_the_schema_is_told_so_and_init_grants_it_again() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let crawl = cluster.crawl(None);
    let mut ledger = cluster.connect(&crawl);
    join(&mut ledger, "a");
    let schema = crawl.schema();
    let revoke = format!("revoke usage on schema {schema} from tamis_node");
    cluster.primary.sql("postgres", &revoke);
    // The schema is passed over, so the function is not there.
    let told = ledger.standing(&[part(1), part(2)]).unwrap_err();
    assert!(matches!(told, LedgerError::Unseen(_)), "{told}");
    assert!(told.to_string().contains("usage"), "{told}");
    let own = settings("tamis_node", &[cluster.primary.port], &crawl);
    let told = PostgresLedger::connect(own.clone()).err().unwrap();
    assert!(matches!(told, LedgerError::Unseen(_)), "{told}");
    let told = told.to_string();
    assert!(
        told.contains(&schema) && told.contains("tamis cluster init"),
        "{told}"
    );
    let owner = settings("postgres", &[cluster.primary.port], &crawl);
    init(&owner, InitPlan::default()).unwrap();
    join(&mut PostgresLedger::connect(own).unwrap(), "a");
}

#[test]
fn a_server_without_a_connection_left_is_waited_for_and_told_as_that() {
    let Some(cluster) = Cluster::start(false) else {
        return;
    };
    let crawl = cluster.crawl(None);
    let limit = "alter role tamis_node connection limit 1";
    cluster.primary.sql("postgres", limit);
    let own = settings("tamis_node", &[cluster.primary.port], &crawl);
    let _first = PostgresLedger::connect(own.clone()).unwrap();
    let told = PostgresLedger::connect(own).err().unwrap();
    assert!(matches!(told, LedgerError::Away(_)), "{told}");
    assert!(told.to_string().contains("max_connections"), "{told}");
}
