//! Running a program to its end, with a deadline.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What a program printed and how it ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Program and arguments, for messages.
    pub command: String,
    /// The exit code; `None` when a signal or the deadline ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
    /// The most memory that it held, in megabytes, as far as that was seen while it ran.
    pub memory: f64,
}

impl Outcome {
    /// Standard output, after the check that the program ended well.
    ///
    /// # Panics
    /// If the exit code is not 0.
    #[must_use]
    pub fn success(self) -> String {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self.out
    }
}

/// Runs a program to its end; kills it at the deadline, which then shows as no exit code.
///
/// # Panics
/// If the program cannot be started: it is missing, and `package` is where it comes from.
#[must_use]
pub fn run(mut command: Command, package: &str, deadline: Duration) -> Outcome {
    let shown = show(&command);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child =
        child.unwrap_or_else(|e| panic!("cannot run {shown}: {e}; is {package} installed?"));
    let out = drain(child.stdout.take());
    let err = drain(child.stderr.take());
    let (code, memory) = wait(&mut child, deadline);
    let text = |reader: thread::JoinHandle<String>| reader.join().expect("a reader does not panic");
    Outcome { command: shown, code, out: text(out), err: text(err), memory }
}

fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Reads a pipe to its end on a thread of its own, so that no pipe can fill up and block.
fn drain(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // A killed program leaves what it wrote so far; that is worth showing.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn wait(child: &mut Child, deadline: Duration) -> (Option<i32>, f64) {
    let end = Instant::now() + deadline;
    let mut memory = 0.0;
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return (status.code(), memory);
        }
        memory = f64::max(memory, peak_memory(child.id()).unwrap_or(0.0));
        if Instant::now() > end {
            stop(child);
            return (None, memory);
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// The most memory that a process has held so far, in megabytes.
#[must_use]
pub fn peak_memory(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024.0)
}

/// Kills a program and waits until it is gone.
pub fn stop(child: &mut Child) {
    // Both fail only if it has ended already.
    let _ = child.kill();
    let _ = child.wait();
}
