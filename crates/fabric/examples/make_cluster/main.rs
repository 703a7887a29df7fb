//! Prints the example cluster as `ibnetdiscover` would:
//! `cargo run -q -p lk-fabric --example make_cluster > examples/cluster.ibnetdiscover`

#![allow(clippy::print_stdout, reason = "the cluster goes to standard output")]

mod cluster;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    print!("{}", cluster::text()?);
    Ok(())
}
