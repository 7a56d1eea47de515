//! The tags that matter here, as a small number instead of a string.

/// An element's tag, as far as extraction tells tags apart.
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
    /// Markup for readers without scripts.
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
    /// An element whose name has a dash: a component, set as a block.
    Custom,
    /// Any other element; set inline.
    Inline,
    /// Any other element; set as a block.
    Block,
    /// An element whose text is not the page's: scripts, forms' insides, embedded media.
    Dead,
}

impl Tag {
    /// The tag of an element of this (lower case) name.
    pub(crate) fn of(name: &str) -> Tag {
        match name {
            "a" => Tag::A,
            "address" => Tag::Address,
            "article" => Tag::Article,
            "aside" => Tag::Aside,
            "blockquote" => Tag::Blockquote,
            "body" => Tag::Body,
            "br" => Tag::Br,
            "button" => Tag::Button,
            "caption" => Tag::Caption,
            "center" => Tag::Center,
            "code" | "kbd" | "samp" | "tt" => Tag::Code,
            "dd" => Tag::Dd,
            "details" => Tag::Details,
            "dialog" => Tag::Dialog,
            "div" => Tag::Div,
            "dl" => Tag::Dl,
            "dt" => Tag::Dt,
            "b" | "strong" | "em" | "i" => Tag::Emphasis,
            "fieldset" => Tag::Fieldset,
            "figcaption" => Tag::Figcaption,
            "figure" => Tag::Figure,
            "font" => Tag::Font,
            "footer" => Tag::Footer,
            "form" => Tag::Form,
            "h1" => Tag::H1,
            "h2" => Tag::H2,
            "h3" => Tag::H3,
            "h4" => Tag::H4,
            "h5" => Tag::H5,
            "h6" => Tag::H6,
            "head" => Tag::Head,
            "header" => Tag::Header,
            "hr" => Tag::Hr,
            "html" => Tag::Html,
            "img" => Tag::Img,
            "label" => Tag::Label,
            "li" => Tag::Li,
            "main" => Tag::Main,
            "nav" => Tag::Nav,
            "noscript" => Tag::Noscript,
            "ol" => Tag::Ol,
            "p" => Tag::P,
            "pre" | "listing" | "xmp" | "plaintext" => Tag::Pre,
            "section" => Tag::Section,
            "span" => Tag::Span,
            "summary" => Tag::Summary,
            "table" => Tag::Table,
            "tbody" | "thead" | "tfoot" => Tag::Tbody,
            "td" => Tag::Td,
            "th" => Tag::Th,
            "time" => Tag::Time,
            "tr" => Tag::Tr,
            "ul" | "menu" | "dir" => Tag::Ul,
            "hgroup" | "legend" | "frameset" | "noframes" | "search" => Tag::Block,
            "script" | "style" | "template" | "svg" | "iframe" | "object" | "embed" | "canvas"
            | "video" | "audio" | "select" | "datalist" | "textarea" | "input" | "rp" | "rt"
            | "title" | "map" | "meter" | "progress" | "applet" => Tag::Dead,
            _ if name.contains('-') => Tag::Custom,
            _ => Tag::Inline,
        }
    }

    /// Whether text before and after it belongs to different lines.
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
                | Tag::Dead
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
