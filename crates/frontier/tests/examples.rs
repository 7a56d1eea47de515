//! The programs in `examples/` run.

#[path = "../examples/order.rs"]
mod order;

#[test]
fn order_runs() {
    order::main().expect("it ends");
}
