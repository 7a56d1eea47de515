//! Stop words: the most frequent English function words and Chinese particles, about 150, folded as
//! `segment` folds.

use std::collections::HashSet;
use std::sync::LazyLock;

const STOP_WORDS: &str = "\
    a about above after again all also am an and any are as at be because been before being below \
    between both but by can could did do does doing down during each few for from further had has \
    have having he her here hers him his how i if in into is it its itself just may me might more \
    most must my no nor not now of off on once only or other our out over own said same say says \
    she should so some such than that the their them then there these they this those through to \
    too under until up us very was we were what when where which while who whom why will with \
    would you your \
    的 了 在 是 和 有 我 我们 你 你们 他 她 它 他们 它们 这 那 这个 那个 这些 那些 不 没有 一 一个 \
    也 都 就 与 及 或 或者 而 但 但是 并 并且 如果 因为 所以 可以 能 会 要 将 把 被 让 给 对 对于 从 到 \
    由 以 为 为了 于 中 上 下 里 等 之 其 此 该 各 每 很 更 最 还 又 再 只 才 已 已经 着 过 地 得 吗 呢 吧 \
    什么 怎么 如何 时 后 前 当 则 即 如 即使 虽然 关于";

/// Whether a folded word is a stop word.
pub fn is_stop_word(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> =
        LazyLock::new(|| STOP_WORDS.split_whitespace().collect());
    WORDS.contains(word)
}
