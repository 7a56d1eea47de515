//! JSON-RPC 2.0: what a value asks, and answers to it.

use serde_json::{Map, Value, json};

/// Bytes of the text that a client numbers a request with.
const ID_BYTES_MAX: usize = 256;

/// Bytes of a method's name.
const METHOD_BYTES_MAX: usize = 100;

/// What was sent.
#[derive(Debug)]
pub(super) enum Message {
    /// Wants an answer.
    Request(Request),
    /// Wants none.
    Notification {
        /// What happened.
        method: String,
        /// The rest.
        params: Map<String, Value>,
    },
    /// The answer to a request of ours; we have none.
    Answer,
    /// None of these.
    Invalid {
        /// The number, where it could be read.
        id: Value,
        /// What is wrong.
        why: &'static str,
    },
}

/// A request.
#[derive(Debug)]
pub(super) struct Request {
    /// Its number: a whole number or a short text.
    pub(super) id: Value,
    /// What is wanted.
    pub(super) method: String,
    /// With what.
    pub(super) params: Map<String, Value>,
}

/// Why a request has no result.
#[derive(Debug)]
pub(super) struct Fault {
    code: i32,
    why: String,
}

impl Fault {
    fn new(code: i32, why: impl Into<String>) -> Self {
        let why = why.into();
        Self { code, why }
    }

    pub(super) fn unreadable(error: &serde_json::Error) -> Self {
        // serde_json's words name a place, and nothing of the text.
        Self::new(-32700, format!("this line is no JSON: {error}"))
    }

    pub(super) fn too_long() -> Self {
        let most = super::lines::LINE_BYTES_MAX;
        Self::new(-32600, format!("a line has at most {most} bytes"))
    }

    pub(super) fn invalid(why: &str) -> Self {
        Self::new(-32600, why)
    }

    pub(super) fn unknown_method() -> Self {
        let known = "initialize, ping, tools/list and tools/call";
        Self::new(-32601, format!("this server knows {known}"))
    }

    pub(super) fn params(why: impl Into<String>) -> Self {
        Self::new(-32602, why)
    }

    pub(super) fn internal() -> Self {
        let why = "a mistake in this program; standard error has more";
        Self::new(-32603, why)
    }

    pub(super) fn busy(most: usize) -> Self {
        let why = format!("{most} calls wait already: ask again when one was answered");
        Self::new(-32000, why)
    }
}

/// What a value asks.
pub(super) fn read(value: Value) -> Message {
    let invalid = |id, why| Message::Invalid { id, why };
    let Value::Object(mut fields) = value else {
        return invalid(Value::Null, "a message is a JSON object");
    };
    let id = fields.remove("id");
    let is_id = |id: &Value| match id {
        Value::Number(number) => !number.is_f64(),
        Value::String(text) => text.len() <= ID_BYTES_MAX,
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    };
    let number = id.clone().filter(is_id).unwrap_or(Value::Null);
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid(number, "\"jsonrpc\" is \"2.0\"");
    }
    let method = match fields.remove("method") {
        Some(Value::String(method)) if method.len() <= METHOD_BYTES_MAX => method,
        None if fields.contains_key("result") || fields.contains_key("error") => {
            return Message::Answer;
        }
        _ => return invalid(number, "\"method\" is a short text"),
    };
    let params = match fields.remove("params") {
        None => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return invalid(number, "\"params\" is a JSON object"),
    };
    match id {
        None => Message::Notification { method, params },
        Some(id) if is_id(&id) => Message::Request(Request { id, method, params }),
        Some(_) => invalid(number, "\"id\" is a whole number or a short text"),
    }
}

/// The answer with a result.
pub(super) fn answered(id: Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// The answer without one.
pub(super) fn failed(id: Value, fault: &Fault) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": fault.code, "message": fault.why } })
}
