//! Compares two texts by several methods: `cargo run -p resemblance --example compare -- "a b c" "a b d"`

use resemblance::detector::Detector;
use resemblance::measures::Measures;
use resemblance::shingles::Shingles;
use resemblance::spotsigs::SpotSigs;
use segment::Segmenter;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut text = || {
        arguments
            .next()
            .unwrap_or("one river and a stone in it".into())
    };
    let (a, b) = (text(), text());
    let [a, b] = [a, b].map(|text| Segmenter::shared().words(&text));
    println!("{:?}", Measures::of(a.hashes(), b.hashes()));
    for (name, detector) in [
        ("shingles", Detector::Shingles(Shingles::default())),
        ("SpotSigs", Detector::SpotSigs(SpotSigs::default())),
    ] {
        let mut kept = detector.kept();
        kept.insert(detector.sign(&a));
        let repeated = kept.repeated(&detector.sign(&b)).is_some();
        println!("{name}: {}", if repeated { "duplicate" } else { "new" });
    }
}
