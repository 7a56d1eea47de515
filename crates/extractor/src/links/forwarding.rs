//! Where the scripts of a page lead whoever opens it, as far as plain statements say so: `location.href = '/x'`,
//! and what is sure to run by itself with that in it: a timer, a handler of `load`, a function that is called at
//! once or by its name, `try`; a place in parts, where each is a text or a variable that is set once.
//!
//! Nothing is run. [`statements`] turns a script into [`Step`]s, or into nothing where it does anything else: what a
//! condition decides about, a script that also does something unknown, and a page that is led to two places lead
//! nowhere. Then the steps are followed through the functions of the page, each of them once.
//!
//! Cost: linear in the scripts, which are read up to [`SCRIPT_BYTES_MAX`] each, and only on a page without links.

mod statements;

use rustc_hash::{FxHashMap, FxHashSet};

use super::scripted::SCRIPT_BYTES_MAX;
use crate::page::Refresh;

/// Calls and timers within each other that are followed.
const NESTED_MAX: usize = 32;

/// Parts of places that are put together for one page.
const PARTS_MAX: usize = 1_000;

/// What a script does, as far as it says where a reader is led.
#[derive(Debug, PartialEq)]
enum Step {
    /// `location = …`
    Lead(Vec<Part>),
    /// A function is called by its name.
    Call(String),
    /// Steps that a timer waits with, in seconds.
    After(f64, Vec<Step>),
    /// A variable is set; `None` to something that is not known.
    Let(String, Option<Vec<Part>>),
    /// A function is defined; `None` for one that does something else than these steps.
    Define(String, Option<Vec<Step>>),
}

/// A part of a text that is put together.
#[derive(Debug, PartialEq)]
enum Part {
    Text(String),
    /// The value of a variable.
    Name(String),
}

/// Where a script leads, and after how many seconds.
#[derive(Debug, PartialEq)]
pub(super) struct Forward {
    /// The script's number.
    pub(super) script: usize,
    pub(super) place: String,
    pub(super) delay: f64,
}

/// Where the first of a page's scripts leads that leads anywhere; a handler of `load` is the last of them.
pub(super) fn forward<'s>(scripts: impl IntoIterator<Item = &'s str>) -> Option<Forward> {
    let read = |script: &str| {
        let is_short = script.len() <= SCRIPT_BYTES_MAX;
        is_short.then(|| statements::steps(script)).flatten()
    };
    let scripts: Vec<_> = scripts.into_iter().map(read).collect();
    let mut page = Page::of(&scripts);
    scripts.iter().enumerate().find_map(|(script, steps)| {
        let mut led = Vec::new();
        page.follow(script, steps.as_ref()?, (0.0, 0), &mut led)?;
        let (place, delay) = led.pop()?;
        let is_one = led.iter().all(|(other, _)| *other == place);
        is_one.then_some(Forward {
            script,
            place,
            delay,
        })
    })
}

/// What is known by its name on a page; `None` for what is defined twice.
struct Page<'s> {
    /// With the number of the script.
    functions: FxHashMap<&'s str, Option<(usize, &'s [Step])>>,
    /// Of each script.
    variables: Vec<FxHashMap<&'s str, Option<&'s [Part]>>>,
    called: FxHashSet<&'s str>,
    parts: usize,
}

impl<'s> Page<'s> {
    fn of(scripts: &'s [Option<Vec<Step>>]) -> Self {
        let mut page = Self {
            functions: FxHashMap::default(),
            variables: vec![FxHashMap::default(); scripts.len()],
            called: FxHashSet::default(),
            parts: 0,
        };
        for (script, steps) in scripts.iter().enumerate() {
            page.learn(script, steps.as_deref().unwrap_or_default());
        }
        page
    }

    fn learn(&mut self, script: usize, steps: &'s [Step]) {
        for step in steps {
            match step {
                Step::Let(name, value) => {
                    let variables = &mut self.variables[script];
                    let known = variables.entry(name.as_str());
                    known
                        .and_modify(|known| *known = None)
                        .or_insert(value.as_deref());
                }
                Step::Define(name, body) => {
                    let body = body.as_deref();
                    let known = self.functions.entry(name.as_str());
                    known
                        .and_modify(|known| *known = None)
                        .or_insert(body.map(|body| (script, body)));
                    self.learn(script, body.unwrap_or_default());
                }
                Step::After(_, steps) => self.learn(script, steps),
                Step::Lead(_) | Step::Call(_) => {}
            }
        }
    }

    /// Notes where steps lead and after how many seconds, so many of which have passed; `None` where that is not known.
    fn follow(
        &mut self,
        script: usize,
        steps: &'s [Step],
        (passed, nested): (f64, usize),
        led: &mut Vec<(String, f64)>,
    ) -> Option<()> {
        if passed > Refresh::AT_ONCE_SECONDS_MAX || nested > NESTED_MAX {
            return None;
        }
        for step in steps {
            match step {
                Step::Lead(parts) => {
                    let mut place = String::new();
                    self.join(script, parts, 0, &mut place)?;
                    led.push(is_place(&place).then_some((place, passed))?);
                }
                Step::Call(name) => {
                    let (script, body) = self.functions.get(name.as_str()).copied().flatten()?;
                    if !self.called.insert(name.as_str()) {
                        return None;
                    }
                    self.follow(script, body, (passed, nested + 1), led)?;
                }
                Step::After(seconds, steps) => {
                    self.follow(script, steps, (passed + seconds, nested + 1), led)?;
                }
                Step::Let(..) | Step::Define(..) => {}
            }
        }
        Some(())
    }

    /// Puts a text together.
    fn join(
        &mut self,
        script: usize,
        parts: &[Part],
        nested: usize,
        text: &mut String,
    ) -> Option<()> {
        for part in parts {
            self.parts += 1;
            let is_bounded = self.parts <= PARTS_MAX && nested <= NESTED_MAX;
            if !is_bounded || text.len() > SCRIPT_BYTES_MAX {
                return None;
            }
            match part {
                Part::Text(part) => text.push_str(part),
                Part::Name(name) => {
                    let value = self.variables[script]
                        .get(name.as_str())
                        .copied()
                        .flatten()?;
                    self.join(script, value, nested + 1, text)?;
                }
            }
        }
        Some(())
    }
}

/// Whether a text is a place as it stands: nothing in it is to be filled in, or was meant as code.
fn is_place(text: &str) -> bool {
    !text.is_empty() && !text.contains(['\\', '$', '{', '<', '\'', '"', '`'])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(script: &str, place: Option<&str>) {
        let found = forward([script]);
        let found = found.as_ref().map(|found| found.place.as_str());
        assert_eq!(found, place, "{script}");
    }

    #[test]
    fn a_script_of_one_statement_forwards() {
        check("window.location.href=\"/home\"", Some("/home"));
        check("location = '/information'", Some("/information"));
        check("self.location='/a b';", Some("/a b"));
        check("\n top.location.replace( '/a' ) ;\n", Some("/a"));
        check("document.location.assign(\"/a\")", Some("/a"));
        check(
            "location.replace( 'http:\\/\\/a.test\\/' )",
            Some("http://a.test/"),
        );
        check(
            "// To the new site.\nlocation.href = 'http://a.test/'; /* done **/",
            Some("http://a.test/"),
        );
        check("<!--\nlocation.href='/a';\n//-->", Some("/a"));
        check("//<![CDATA[\nlocation.href=`/a`\n//]]>", Some("/a"));
    }

    #[test]
    fn what_is_sure_to_run_is_as_if_it_stood_alone() {
        // Of 22 ways in which front pages forward 17 ended the crawl of their site.
        for script in [
            "setTimeout(\"location.href='/a'\",1000)",
            "window.setTimeout(\"window.location='/a'\", 3000);",
            "setTimeout('location.href=\\'/a\\'', 5*1000)",
            "setTimeout(function(){window.location.href='/a';},100)",
            "setTimeout(() => { location.replace('/a') }, 0)",
            "setTimeout(() => location.replace('/a'))",
            "window.onload=function(){location.href='/a'}",
            "window.onload = go; function go() { location = '/a'; return false }",
            "$(function(){window.location.href='/a'})",
            "jQuery(document).ready(function($){window.location.href='/a'});",
            "$(window).on('load', () => location.assign('/a'))",
            "document.addEventListener('DOMContentLoaded',function(){location.href='/a'}, false)",
            "window.attachEvent('onload', function (e) { location.href='/a' })",
            "function go(){window.location='/a';}setTimeout('go()',2000);",
            "var go = () => { location='/a' }\nsetTimeout(go, 9)",
            "(function(){location.href='/a'})();",
            "(function(w){'use strict';location.href='/a'}(window))",
            "!function(){location.href='/a'}()",
            "(() => { location.href='/a' })()",
            "var url='/a';window.location.href=url;",
            "const host = '/', url = host + 'a', when = new Date()\nwindow.location.href = url",
            "if(top.location!=self.location)top.location=self.location;location.href='/a'",
            "if (window != top) { top.location.href = location.href; }\nlocation='/a'",
            "location.href='/'+'a'",
            "'use strict';window.location.href='/a'",
            "try{location.href='/a'}catch(e){location.href='/b'}",
            "var timer = setTimeout(function () { location = '/a' }, 500);",
            "location.href='/a';location.href='/a'",
        ] {
            check(script, Some("/a"));
        }
    }

    #[test]
    fn a_handler_may_call_what_a_script_of_the_page_defines() {
        let script = "function go(){window.location='/a';}";
        let found = forward([script, "hide()", "setTimeout('go()', 3000)"]).unwrap();
        let expected = Forward {
            script: 2,
            place: "/a".into(),
            delay: 3.0,
        };
        assert_eq!(found, expected);
        assert_eq!(forward([script, script, "go()"]), None, "two of one name");
        assert_eq!(forward(["var u = '/a'", "location = u"]), None);
    }

    #[test]
    fn a_script_with_anything_that_is_not_sure_or_not_known_does_not_forward() {
        // Each of the first four was taken for a refresh: the seed's own page was lost, another host crawled.
        for script in [
            "setTimeout(\"location.href='/late';\", 60000)",
            "top!=self&&(top.location='/frame')",
            "// location.href='/comment';",
            "a||(location='/or')",
            "/* location.href='/comment'; */",
            "if (top != self) location.href='/home'",
            "if (top != self) top.location=self.location; else location='/home'",
            "if (navigator.language=='de') location='/de'; location='/en'",
            "setTimeout(function(){ if (old) location='/a' }, 9)",
            "function go() { location.href='/home' }",
            "function go() { if (old) return; location.href='/home' } go()",
            "function go() { return; location.href='/home' } go()",
            "function go(url) { location.href=url } go()",
            "function go() { location.href='/home' } onclick = go",
            "function go() { go(); location.href='/home' } go()",
            "function go() { location.href='/home' } function go() { } go()",
            "setTimeout('setTimeout(\"location=1\", 4000)', 4000)",
            "setTimeout(\"setTimeout(function(){location='/a'}, 4000)\", 4000)",
            "setInterval(() => location.replace('/a'), 9)",
            "addEventListener('click', go); location='/a'",
            "addEventListener('click', function(){location='/a'})",
            "var u='/a'; u='/b'; location=u",
            "var u='/a' + id; location=u",
            "var u=u+u; location=u",
            "var go = confirm('Leave?') && (location='/a')",
            "location='/a'+id",
            "location='/a' ? 1 : 2",
            "location='/a'; location='/b'",
            "location='/a'\nhide()",
            "location='/a', hide()",
            "location.replace('/a', hide())",
            "location.replace('/a'",
            "location='/a' /*",
            "location='/a",
            "location='a\\'//b'",
            "location=`/${id}`",
            "var location='/a'",
            "window.open('/a')",
            "site.location='/a'",
            "location=='/a'",
            "location.hash='/a'",
            "location.href=''",
            "(function(){location.href='/a'})",
            "try { hide(); location='/a' } catch (e) {}",
            "catch (e) { location='/a' }",
            "if (mobile()) { top.location=self.location } location='/a'",
        ] {
            check(script, None);
        }
    }

    #[test]
    fn scripts_made_to_be_followed_without_end_lead_nowhere_in_time() {
        let doubled: String = (0..60).map(|n| format!("v{n}=v{0}+v{0};", n + 1)).collect();
        check(&format!("{doubled}v60='';location=v0"), None);
        for nested in ["(function(){", "a=", "a=>", "!"] {
            check(&nested.repeat(600), None);
        }
        let call = |n| format!("function f{n}(){{f{}()}}", n + 1);
        let chain: Vec<String> = (0..20_000).map(call).collect();
        let scripts = chain.iter().map(String::as_str).chain(["f0()"]);
        assert_eq!(forward(scripts), None);
    }

    proptest! {
        #[test]
        fn any_script_leads_somewhere_or_not(
            script in "(location|=|'/a'|\\(|\\)|\\{|\\}|function|go|;|\n|setTimeout|,|=>|if|var|\\+|try|.){0,60}"
        ) {
            let _ = forward([script.as_str(), "go()"]);
        }
    }
}
