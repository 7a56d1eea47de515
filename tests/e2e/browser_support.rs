//! A headless Chromium, told what to do over its debugging pipe: one value of JSON each way, ended by NUL.
//!
//! Two named pipes stand where the browser wants its descriptors 3 and 4; so nothing listens on a port.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// How long the browser may take for anything.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// Names of the browser, Debian's first.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// A browser with one page.
pub struct Browser {
    child: Child,
    commands: File,
    answers: Receiver<Value>,
    session: Value,
    next: u64,
    /// What it told unasked.
    pub events: Vec<Value>,
}

/// The browser's program, if it is installed.
fn program() -> Option<&'static str> {
    let paths = std::env::var_os("PATH")?;
    let is_there = |name: &&str| std::env::split_paths(&paths).any(|dir| dir.join(name).is_file());
    NAMES.iter().copied().find(is_there)
}

/// The browser, or none where it is missing; under CI it must be there.
pub fn start(dir: &Path) -> Option<Browser> {
    let Some(program) = program() else {
        assert!(
            std::env::var_os("CI").is_none(),
            "CI has no Chromium: .ci/run installs it"
        );
        eprintln!("NOT TESTED: no Chromium is installed");
        return None;
    };
    Some(Browser::start(program, dir))
}

impl Browser {
    /// Starts it with its files in a directory.
    fn start(program: &str, dir: &Path) -> Self {
        let [commands, answers] = ["commands", "answers"].map(|name| dir.join(name));
        let made = Command::new("mkfifo").arg(&commands).arg(&answers).status();
        assert!(made.expect("mkfifo runs").success());
        let shell = "exec \"$0\" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage \
             --no-first-run --disable-background-networking --disable-component-update --disable-sync \
             --remote-debugging-pipe --user-data-dir=\"$1\" --window-size=1280,900 about:blank 3<\"$2\" 4>\"$3\"";
        let child = Command::new("sh")
            .args(["-c", shell, program])
            .arg(dir.join("profile"))
            .args([&commands, &answers])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        let commands = OpenOptions::new()
            .write(true)
            .open(&commands)
            .expect("a pipe");
        let mut read = BufReader::new(File::open(&answers).expect("a pipe"));
        let (tell, answers) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while read.read_until(0, &mut message).is_ok_and(|read| read > 0) {
                message.pop();
                let Ok(value) = serde_json::from_slice(&message) else {
                    return;
                };
                if tell.send(value).is_err() {
                    return;
                }
                message.clear();
            }
        });
        let mut browser = Self {
            child,
            commands,
            answers,
            session: Value::Null,
            next: 0,
            events: Vec::new(),
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = browser.call("Target.attachToTarget", attach);
        browser.session = attached["sessionId"].clone();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Tells it something and gives its answer.
    #[track_caller]
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.ask(method, parameters)
            .unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// As [`Self::call`]; the error is the browser's own.
    fn ask(&mut self, method: &str, parameters: Value) -> Result<Value, Value> {
        self.next += 1;
        let mut message = json!({"id": self.next, "method": method, "params": parameters});
        if !self.session.is_null() {
            message["sessionId"] = self.session.clone();
        }
        self.commands
            .write_all(message.to_string().as_bytes())
            .expect("told");
        self.commands.write_all(b"\0").expect("told");
        loop {
            let answer = self.answers.recv_timeout(WAIT_MAX).expect(method);
            if answer["id"] == self.next {
                if answer["error"].is_null() {
                    return Ok(answer["result"].clone());
                }
                return Err(answer["error"].clone());
            }
            self.events.push(answer);
        }
    }

    /// The value of an expression in the page.
    #[track_caller]
    pub fn value(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", asked);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub fn until(&mut self, expression: &str) {
        for _ in 0..600 {
            // While a page is being changed for another there is nothing to ask: the
            // browser refuses, or the page that goes answers.
            let asked = json!({"expression": expression, "returnByValue": true});
            let answer = self.ask("Runtime.evaluate", asked);
            if answer.is_ok_and(|answer| answer["result"]["value"] == true) {
                return;
            }
            std::thread::park_timeout(Duration::from_millis(50));
        }
        let body = self.value("document.body.innerText.slice(0, 2000)");
        panic!("{expression} does not come true; the page: {body}");
    }

    /// Opens an address and waits until it is there.
    #[track_caller]
    pub fn open(&mut self, url: &str) {
        self.call("Page.navigate", json!({"url": url}));
        let there = format!(
            "location.href === {} && document.readyState === 'complete'",
            json!(url)
        );
        self.until(&there);
    }

    /// Presses a key of a character.
    pub fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call(
                "Input.dispatchKeyEvent",
                json!({"type": kind, "key": key, "text": key}),
            );
        }
    }

    /// Shows the page in a window of this width, light or dark.
    pub fn shape(&mut self, width: u32, height: u32, scheme: &str, is_phone: bool) {
        let metrics =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// Keeps a picture of the whole page, where `TAMIS_SCREENSHOTS` names a directory.
    pub fn picture(&mut self, name: &str) {
        let Some(dir) = std::env::var_os("TAMIS_SCREENSHOTS") else {
            return;
        };
        let asked = json!({"format": "png", "captureBeyondViewport": true});
        let data = self.call("Page.captureScreenshot", asked)["data"].clone();
        use base64::Engine as _;
        let bytes =
            base64::engine::general_purpose::STANDARD.decode(data.as_str().unwrap_or_default());
        let path = Path::new(&dir).join(format!("{name}.png"));
        std::fs::write(path, bytes.expect("base64")).expect("written");
    }

    /// What went wrong in pages, and requests to anywhere else than these origins.
    pub fn complaints(&self, origins: &[String]) -> Vec<String> {
        let told = |event: &Value| {
            let about = &event["params"];
            match event["method"].as_str().unwrap_or_default() {
                "Runtime.exceptionThrown" => Some(about["exceptionDetails"].to_string()),
                "Runtime.consoleAPICalled" if about["type"] == "error" => {
                    Some(about["args"].to_string())
                }
                "Log.entryAdded" if about["entry"]["level"] == "error" => {
                    Some(about["entry"].to_string())
                }
                "Network.requestWillBeSent" => {
                    let url = about["request"]["url"]
                        .as_str()
                        .unwrap_or_default()
                        .to_owned();
                    let is_ours = origins
                        .iter()
                        .any(|origin| url.starts_with(origin.as_str()));
                    (!is_ours && !url.starts_with("data:")).then(|| format!("a request to {url}"))
                }
                _ => None,
            }
        };
        self.events.iter().filter_map(told).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
