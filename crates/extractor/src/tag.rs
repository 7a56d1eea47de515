//! Tags as a small enum: those that extraction treats differently.

use html5ever::{LocalName, local_name};

/// An element's tag, as far as extraction distinguishes tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(crate) enum Tag {
    A,
    Address,
    Article,
    Aside,
    Blockquote,
    Body,
    Br,
    Button,
    Caption,
    Center,
    Code,
    Dd,
    Details,
    Dialog,
    Div,
    Dl,
    Dt,
    Emphasis,
    Fieldset,
    Figcaption,
    Figure,
    Font,
    Footer,
    Form,
    H1,
    H2,
    H3,
    H4,
    H5,
    H6,
    Head,
    Header,
    Hr,
    Html,
    Img,
    Label,
    Li,
    Main,
    Nav,
    /// Markup that browsers show without scripts.
    Noscript,
    Ol,
    P,
    Pre,
    Section,
    Span,
    Summary,
    Table,
    Tbody,
    Td,
    Th,
    Time,
    Tr,
    Ul,
    /// A custom element, whose name has a dash; laid out as a block.
    Custom,
    /// Any other inline element.
    Inline,
    /// Any other block element.
    Block,
    /// An element whose text is not read: scripts, form fields, embedded media.
    Skipped,
}

impl Tag {
    /// The tag of an element of this (lower case) name.
    pub(crate) fn of(name: &LocalName) -> Tag {
        match *name {
            local_name!("a") => Tag::A,
            local_name!("address") => Tag::Address,
            local_name!("article") => Tag::Article,
            local_name!("aside") => Tag::Aside,
            local_name!("blockquote") => Tag::Blockquote,
            local_name!("body") => Tag::Body,
            local_name!("br") => Tag::Br,
            local_name!("button") => Tag::Button,
            local_name!("caption") => Tag::Caption,
            local_name!("center") => Tag::Center,
            local_name!("code") | local_name!("kbd") | local_name!("samp") | local_name!("tt") => {
                Tag::Code
            }
            local_name!("dd") => Tag::Dd,
            local_name!("details") => Tag::Details,
            local_name!("dialog") => Tag::Dialog,
            local_name!("div") => Tag::Div,
            local_name!("dl") => Tag::Dl,
            local_name!("dt") => Tag::Dt,
            local_name!("b") | local_name!("strong") | local_name!("em") | local_name!("i") => {
                Tag::Emphasis
            }
            local_name!("fieldset") => Tag::Fieldset,
            local_name!("figcaption") => Tag::Figcaption,
            local_name!("figure") => Tag::Figure,
            local_name!("font") => Tag::Font,
            local_name!("footer") => Tag::Footer,
            local_name!("form") => Tag::Form,
            local_name!("h1") => Tag::H1,
            local_name!("h2") => Tag::H2,
            local_name!("h3") => Tag::H3,
            local_name!("h4") => Tag::H4,
            local_name!("h5") => Tag::H5,
            local_name!("h6") => Tag::H6,
            local_name!("head") => Tag::Head,
            local_name!("header") => Tag::Header,
            local_name!("hr") => Tag::Hr,
            local_name!("html") => Tag::Html,
            local_name!("img") => Tag::Img,
            local_name!("label") => Tag::Label,
            local_name!("li") => Tag::Li,
            local_name!("main") => Tag::Main,
            local_name!("nav") => Tag::Nav,
            local_name!("noscript") => Tag::Noscript,
            local_name!("ol") => Tag::Ol,
            local_name!("p") => Tag::P,
            local_name!("pre")
            | local_name!("listing")
            | local_name!("xmp")
            | local_name!("plaintext") => Tag::Pre,
            local_name!("section") => Tag::Section,
            local_name!("span") => Tag::Span,
            local_name!("summary") => Tag::Summary,
            local_name!("table") => Tag::Table,
            local_name!("tbody") | local_name!("thead") | local_name!("tfoot") => Tag::Tbody,
            local_name!("td") => Tag::Td,
            local_name!("th") => Tag::Th,
            local_name!("time") => Tag::Time,
            local_name!("tr") => Tag::Tr,
            local_name!("ul") | local_name!("menu") | local_name!("dir") => Tag::Ul,
            _ => Tag::of_other(name),
        }
    }

    /// The tag of an element that has none of its own.
    fn of_other(name: &LocalName) -> Tag {
        match *name {
            local_name!("hgroup")
            | local_name!("legend")
            | local_name!("frameset")
            | local_name!("search") => Tag::Block,
            local_name!("noframes")
            | local_name!("script")
            | local_name!("style")
            | local_name!("template")
            | local_name!("svg")
            | local_name!("iframe")
            | local_name!("object")
            | local_name!("embed")
            | local_name!("canvas")
            | local_name!("video")
            | local_name!("audio")
            | local_name!("select")
            | local_name!("datalist")
            | local_name!("textarea")
            | local_name!("input")
            | local_name!("rp")
            | local_name!("rt")
            | local_name!("title")
            | local_name!("map")
            | local_name!("meter")
            | local_name!("progress")
            | local_name!("applet") => Tag::Skipped,
            _ if name.contains('-') => Tag::Custom,
            _ => Tag::Inline,
        }
    }

    /// Whether it is laid out as a block: text before and after it is on different lines.
    pub(crate) fn is_block(self) -> bool {
        !matches!(
            self,
            Tag::A
                | Tag::Br
                | Tag::Code
                | Tag::Emphasis
                | Tag::Font
                | Tag::Img
                | Tag::Inline
                | Tag::Span
                | Tag::Time
                | Tag::Skipped
        )
    }

    /// 1 to 6 for a heading.
    pub(crate) fn heading_level(self) -> Option<u8> {
        match self {
            Tag::H1 => Some(1),
            Tag::H2 => Some(2),
            Tag::H3 => Some(3),
            Tag::H4 => Some(4),
            Tag::H5 => Some(5),
            Tag::H6 => Some(6),
            _ => None,
        }
    }
}
