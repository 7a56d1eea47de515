//! What a page offers: one thing of its own, or the goods of a list.
//!
//! A shop shows other goods below what a page is about, each with a price and a button, and they are many:
//! counted together they outweigh it. So prices and buttons inside repeated units and outside are told apart:
//!
//! ```text
//!   h1, price, button     the page's own offer: outside the units, before the first of them
//!   text
//!   unit: link, price     ┐
//!   unit: link, price     │ goods
//! ```

use crate::flat_dom::{FlatDom, NO_ELEMENT};
use crate::line_markers::Marker;
use crate::prefix_sums::is_prose;
use crate::survey::Survey;
use crate::tag::Tag;

/// Whether a run is the price of one of a list's goods: no prose, in a repeated unit with a link.
pub(super) fn is_good(flat: &FlatDom<'_>, survey: &Survey, run: usize) -> bool {
    let unit = survey.inner_units[run].element;
    survey.markers[run].has(Marker::Price)
        && !is_prose(&flat.runs[run])
        && unit != NO_ELEMENT
        && flat.elements[unit as usize].link_weight > 0
}

/// Whether the page offers one thing: behind its `<h1>`, before any goods, stand a price and a button to buy, both
/// outside repeated units.
pub(super) fn is_of_one(flat: &FlatDom<'_>, survey: &Survey) -> bool {
    let is_title = |run: &usize| flat.elements[flat.runs[*run].owner as usize].tag == Tag::H1;
    let Some(title) = (0..flat.runs.len()).find(is_title) else {
        return false;
    };
    let heading = flat.runs[title].owner;
    let is_apart = |run: usize| {
        let unit = survey.inner_units[run].element;
        unit == NO_ELEMENT || flat.contains(unit, heading)
    };
    let is_price = |run: usize| {
        survey.markers[run].has(Marker::Price) && !is_prose(&flat.runs[run]) && is_apart(run)
    };
    let (mut has_price, mut has_button) = (false, false);
    for run in title + 1..flat.runs.len() {
        if !is_apart(run) && is_good(flat, survey, run) {
            return false;
        }
        has_price |= is_price(run);
        has_button |= is_apart(run) && is_buy_button(survey, run);
        if has_price && has_button {
            return true;
        }
    }
    false
}

/// Whether a short line says "add to cart" or the like.
pub(super) fn is_buy_button(survey: &Survey, run: usize) -> bool {
    const BYTES_MAX: usize = 40;
    const WORDS: [&str; 10] = [
        "add to cart",
        "add to bag",
        "add to basket",
        "buy now",
        "in den warenkorb",
        "ajouter au panier",
        "añadir al carrito",
        "加入购物车",
        "立即购买",
        "カートに入れる",
    ];
    let text = &survey.texts[run];
    text.len() < BYTES_MAX && survey.markers[run].has(Marker::More) && {
        let text = text.to_lowercase();
        WORDS.iter().any(|words| text.contains(words))
    }
}

#[cfg(test)]
mod tests {
    use crate::page::{PageContext, PageType};

    const BUY: &str =
        "<p class=price>£29.71</p><p>In stock</p><form><button>Add to basket</button></form>";

    #[track_caller]
    fn check(body: &str, expected: &PageType) {
        let html = format!("<title>Oak desk</title><main><div><h1>Oak desk</h1>{body}</main>");
        let url = url::Url::parse("http://a.example/oak-desk").unwrap();
        let found = crate::extract(&html, &PageContext::new(&url)).page_type;
        assert_eq!(found, *expected, "{body}");
    }

    #[test]
    fn a_page_is_what_it_offers_itself_whatever_goods_stand_below() {
        // Three goods made it a page of no type, four a collection.
        let text = "<p>The desk is made of oak, has two drawers, and stands on four legs, which may be taken off.";
        let good = |at: u32| format!("<li><a href=/d{at}>The desk number {at}</a>{BUY}</li>");
        for count in [0, 3, 4, 9] {
            let goods: String = (0..count).map(good).collect();
            let goods = format!("<h2>Recommended</h2><ul>{goods}</ul>");
            check(&format!("{BUY}</div>{text}{goods}"), &PageType::Product);
        }
        let goods: String = (0..9).map(good).collect();
        check(&format!("</div><ul>{goods}</ul>"), &PageType::Collection);
        let late = format!("</div><ul>{goods}</ul><h2>Oak desk</h2>{BUY}");
        check(&late, &PageType::Collection);
    }
}
