//! A relay between a node and the store, that cuts, delays and freezes what goes through it.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

/// What a relay does with what it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Pass,
    /// Each piece waits so long.
    Delay(Duration),
    /// Nothing goes through until the mode changes.
    Freeze,
    /// Answers alone are held back: what was asked is done.
    FreezeAnswers,
    /// Connections are closed, and new ones too.
    Cut,
}

struct State {
    mode: Mutex<Mode>,
    changed: Condvar,
    open: Mutex<Vec<TcpStream>>,
}

pub struct Relay {
    pub port: u16,
    state: Arc<State>,
}

impl Relay {
    pub fn to(target: u16) -> Relay {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State {
            mode: Mutex::new(Mode::Pass),
            changed: Condvar::new(),
            open: Mutex::new(Vec::new()),
        });
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                if *shared.mode.lock().unwrap() == Mode::Cut {
                    continue;
                }
                let Ok(far) = TcpStream::connect(("127.0.0.1", target)) else {
                    continue;
                };
                let both = [near.try_clone().unwrap(), far.try_clone().unwrap()];
                shared.open.lock().unwrap().extend(both);
                carry(
                    &shared,
                    near.try_clone().unwrap(),
                    far.try_clone().unwrap(),
                    false,
                );
                carry(&shared, far, near, true);
            }
        });
        Relay { port, state }
    }

    pub fn set(&self, mode: Mode) {
        *self.state.mode.lock().unwrap() = mode;
        if mode == Mode::Cut {
            for stream in self.state.open.lock().unwrap().drain(..) {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
        self.state.changed.notify_all();
    }
}

fn carry(state: &Arc<State>, mut from: TcpStream, mut to: TcpStream, is_answer: bool) {
    let state = Arc::clone(state);
    thread::spawn(move || {
        let mut buffer = [0; 16_384];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            let mut mode = state.mode.lock().unwrap();
            while *mode == Mode::Freeze || (is_answer && *mode == Mode::FreezeAnswers) {
                mode = state.changed.wait(mode).unwrap();
            }
            if let Mode::Delay(time) = *mode {
                let (held, _) = state.changed.wait_timeout(mode, time).unwrap();
                mode = held;
            }
            drop(mode);
            if to.write_all(&buffer[..count]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
    });
}
