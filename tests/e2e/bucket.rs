//! A small object store on loopback that speaks as much of S3 as is asked of it here: PUT, multipart, GET,
//! HEAD and LIST; with errors and slow answers on demand.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// How it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    Well,
    /// 500 to everything.
    Fails,
    /// Each answer takes so long.
    Slow(Duration),
    /// Connections are closed after the request was read.
    Breaks,
}

#[derive(Debug)]
struct State {
    mood: Mood,
    objects: BTreeMap<String, Vec<u8>>,
    parts: HashMap<String, BTreeMap<u32, Vec<u8>>>,
    /// Method and target of each request.
    log: Vec<String>,
    /// Keys that requests were signed with.
    keys: Vec<String>,
}

/// The server; it ends with the process.
#[derive(Clone)]
pub struct Bucket {
    state: Arc<Mutex<State>>,
    port: u16,
}

impl Bucket {
    pub fn start(mood: Mood) -> Bucket {
        let socket = TcpListener::bind("127.0.0.1:0").expect("a port");
        let bucket = Bucket {
            port: socket.local_addr().expect("it has one").port(),
            state: Arc::new(Mutex::new(State {
                mood,
                objects: BTreeMap::new(),
                parts: HashMap::new(),
                log: Vec::new(),
                keys: Vec::new(),
            })),
        };
        let served = bucket.clone();
        std::thread::spawn(move || {
            for socket in socket.incoming().flatten() {
                let served = served.clone();
                std::thread::spawn(move || served.serve(socket));
            }
        });
        bucket
    }

    /// The environment of a process that may write to it.
    pub fn environment(&self) -> [(&'static str, String); 4] {
        [
            (
                "AWS_ENDPOINT_URL",
                format!("http://127.0.0.1:{}", self.port),
            ),
            ("AWS_ACCESS_KEY_ID", "the-key".into()),
            ("AWS_SECRET_ACCESS_KEY", "the-secret-of-the-key".into()),
            ("AWS_REGION", "eu-test-1".into()),
        ]
    }

    pub fn set(&self, mood: Mood) {
        self.lock().mood = mood;
    }

    pub fn objects(&self) -> BTreeMap<String, Vec<u8>> {
        self.lock().objects.clone()
    }

    /// Changes what it holds.
    pub fn change(&self, by: impl FnOnce(&mut BTreeMap<String, Vec<u8>>)) {
        by(&mut self.lock().objects);
    }

    pub fn log(&self) -> Vec<String> {
        self.lock().log.clone()
    }

    pub fn keys(&self) -> Vec<String> {
        self.lock().keys.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder panics")
    }

    fn serve(&self, socket: TcpStream) {
        let mut reader = BufReader::new(socket.try_clone().expect("a second handle"));
        let mut writer = socket;
        // Whoever breaks off is gone.
        while let Some((method, target, headers, body)) = read(&mut reader) {
            let mood = {
                let mut state = self.lock();
                state.log.push(format!("{method} {target}"));
                let signed = headers.get("authorization").cloned().unwrap_or_default();
                let key = signed.split("Credential=").nth(1).unwrap_or_default();
                state
                    .keys
                    .push(key.split('/').next().unwrap_or_default().into());
                state.mood
            };
            let answer = match mood {
                Mood::Breaks => return,
                Mood::Fails => Answer::of(500, b"<Error><Code>InternalError</Code></Error>"),
                Mood::Well => self.answer(&method, &target, &headers, body),
                Mood::Slow(time) => {
                    std::thread::sleep(time);
                    self.answer(&method, &target, &headers, body)
                }
            };
            if answer.write(&mut writer, method == "HEAD").is_err() {
                return;
            }
        }
    }

    fn answer(
        &self,
        method: &str,
        target: &str,
        headers: &HashMap<String, String>,
        body: Vec<u8>,
    ) -> Answer {
        let mut state = self.lock();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let query: HashMap<&str, &str> = query
            .split('&')
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .collect();
        let key = path.trim_start_matches('/');
        let key = key.split_once('/').map_or("", |(_, key)| key).to_owned();
        match (method, query.get("uploadId"), query.get("partNumber")) {
            ("GET", None, None) if query.contains_key("list-type") => {
                let prefix = query.get("prefix").unwrap_or(&"").replace("%2F", "/");
                let has_delimiter = query.contains_key("delimiter");
                Answer::of(
                    200,
                    listed(&state.objects, &prefix, has_delimiter).as_bytes(),
                )
            }
            ("PUT", None, _) => {
                state.objects.insert(key, body);
                Answer::of(200, b"")
            }
            ("POST", None, _) if query.contains_key("uploads") => {
                let id = format!("upload-{}", state.log.len());
                state.parts.insert(id.clone(), BTreeMap::new());
                let text = format!(
                    "<InitiateMultipartUploadResult><UploadId>{id}</UploadId></InitiateMultipartUploadResult>"
                );
                Answer::of(200, text.as_bytes())
            }
            ("PUT", Some(id), Some(number)) => {
                let number = number.parse().expect("a number");
                match state.parts.get_mut(*id) {
                    Some(parts) => {
                        parts.insert(number, body);
                        Answer::of(200, b"")
                    }
                    None => Answer::of(404, b""),
                }
            }
            ("POST", Some(id), _) => match state.parts.remove(*id) {
                Some(parts) => {
                    state
                        .objects
                        .insert(key, parts.into_values().flatten().collect());
                    let text = "<CompleteMultipartUploadResult><ETag>\"e\"</ETag></CompleteMultipartUploadResult>";
                    Answer::of(200, text.as_bytes())
                }
                None => Answer::of(404, b""),
            },
            ("DELETE", Some(id), _) => {
                state.parts.remove(*id);
                Answer::of(204, b"")
            }
            ("GET" | "HEAD", None, None) => match state.objects.get(&key) {
                Some(bytes) => match headers.get("range").map(|it| range_of(it, bytes.len())) {
                    Some(Some((from, to))) => Answer {
                        range: format!("content-range: bytes {from}-{to}/{}\r\n", bytes.len()),
                        mark: mark_of(bytes),
                        ..Answer::of(206, &bytes[from..=to])
                    },
                    Some(None) => Answer::of(416, b""),
                    None => Answer {
                        mark: mark_of(bytes),
                        ..Answer::of(200, bytes)
                    },
                },
                None => Answer::of(404, b""),
            },
            _ => Answer::of(400, b""),
        }
    }
}

fn listed(objects: &BTreeMap<String, Vec<u8>>, prefix: &str, has_delimiter: bool) -> String {
    let found = objects.iter().filter(|(key, _)| key.starts_with(prefix));
    let below = |key: &str| {
        let (level, _) = key[prefix.len()..].split_once('/')?;
        has_delimiter.then(|| format!("{prefix}{level}/"))
    };
    let (mut rows, mut levels) = (String::new(), BTreeSet::new());
    for (key, bytes) in found {
        match below(key) {
            Some(level) => {
                levels.insert(level);
            }
            None => rows.push_str(&format!(
                "<Contents><Key>{key}</Key><Size>{}</Size><ETag>{}</ETag>\
                 <LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>",
                bytes.len(),
                mark_of(bytes)
            )),
        }
    }
    let levels: String = levels
        .iter()
        .map(|level| format!("<CommonPrefixes><Prefix>{level}</Prefix></CommonPrefixes>"))
        .collect();
    format!("<ListBucketResult><IsTruncated>false</IsTruncated>{rows}{levels}</ListBucketResult>")
}

/// An ETag that other bytes do not have.
fn mark_of(bytes: &[u8]) -> String {
    let sum = bytes.iter().fold(7u64, |sum, byte| {
        sum.wrapping_mul(1_099_511_628_211) ^ u64::from(*byte)
    });
    format!("\"{sum:016x}\"")
}

/// From and to, both included, of a field `Range`.
fn range_of(field: &str, length: usize) -> Option<(usize, usize)> {
    let (from, to) = field.strip_prefix("bytes=")?.split_once('-')?;
    let from = from.parse().ok()?;
    let to: usize = to.parse().unwrap_or(length);
    (from < length).then_some((from, to.min(length - 1)))
}

struct Answer {
    status: u16,
    body: Vec<u8>,
    mark: String,
    /// The field that says which part it is.
    range: String,
}

impl Answer {
    fn of(status: u16, body: &[u8]) -> Answer {
        Answer {
            status,
            body: body.to_vec(),
            mark: "\"e\"".into(),
            range: String::new(),
        }
    }

    fn write(&self, to: &mut TcpStream, head_only: bool) -> std::io::Result<()> {
        let head = format!(
            "HTTP/1.1 {} X\r\ncontent-length: {}\r\netag: {}\r\n{}\
             last-modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n\r\n",
            self.status,
            self.body.len(),
            self.mark,
            self.range
        );
        to.write_all(head.as_bytes())?;
        if !head_only {
            to.write_all(&self.body)?;
        }
        to.flush()
    }
}

type Request = (String, String, HashMap<String, String>, Vec<u8>);

fn read(from: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut line = String::new();
    from.read_line(&mut line).ok().filter(|&bytes| bytes > 0)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        from.read_line(&mut line).ok().filter(|&bytes| bytes > 0)?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) => headers.insert(name.to_ascii_lowercase(), value.to_owned()),
            None => break,
        };
    }
    let length = headers.get("content-length").map_or("0", String::as_str);
    let mut body = vec![0; length.parse().ok()?];
    from.read_exact(&mut body).ok()?;
    Some((method, target, headers, body))
}
