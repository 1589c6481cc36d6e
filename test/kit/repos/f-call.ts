/** The same few calls in every language: entry → process → validate, itself, a worker's method; a helper in another file. */
export const F_CALL: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  go: {
    "go.mod": "module example.org/app\n",
    "main.go": `package main

import "example.org/app/work"

func entry() { process(3) }

func process(n int) int {
	validate(n)
	if n > 0 {
		return process(n - 1)
	}
	w := work.New("x")
	w.Run(n)
	return work.Helper(n)
}
`,
    "check.go": "package main\n\nfunc validate(n int) bool { return n > 0 }\n",
    "work/worker.go": `package work

type Worker struct{ name string }

func New(name string) *Worker { return &Worker{name: name} }

func (w *Worker) Run(n int) { w.step(n) }
`,
    "work/step.go": "package work\n\nfunc (w *Worker) step(n int) {}\n\nfunc Helper(n int) int { return n }\n",
  },
  rust: {
    "Cargo.toml": '[package]\nname = "app"\n',
    "src/main.rs": `mod check;
mod work;

use crate::check::validate;
use crate::work::{helper, Worker};

fn entry() {
    process(3);
}

fn process(n: u32) -> u32 {
    validate(n);
    if n > 0 {
        return process(n - 1);
    }
    let worker = Worker::new("x");
    worker.run(n);
    helper(n)
}
`,
    "src/check.rs": "pub fn validate(n: u32) -> bool {\n    n > 0\n}\n",
    "src/work.rs": `pub struct Worker {
    name: String,
}

impl Worker {
    pub fn new(name: &str) -> Self {
        Worker { name: name.to_string() }
    }

    pub fn run(&self, n: u32) {
        self.step(n);
    }

    fn step(&self, _n: u32) {}
}

pub fn helper(n: u32) -> u32 {
    n
}
`,
  },
  java: {
    "src/main/java/app/Main.java": `package app;

import app.work.Worker;
import static app.work.Tools.helper;

class Main {
    private final Worker worker = new Worker("x");

    void entry() { process(3); }

    int process(int n) {
        Checks.validate(n);
        if (n > 0) return process(n - 1);
        worker.run(n);
        return helper(n);
    }
}
`,
    "src/main/java/app/Checks.java":
      "package app;\n\nclass Checks {\n    static boolean validate(int n) { return n > 0; }\n}\n",
    "src/main/java/app/work/Worker.java": `package app.work;

public class Worker {
    public Worker(String name) {}

    public void run(int n) { step(n); }

    private void step(int n) {}
}
`,
    "src/main/java/app/work/Tools.java":
      "package app.work;\n\npublic class Tools {\n    public static int helper(int n) { return n; }\n}\n",
  },
  kotlin: {
    "src/app/Main.kt": `package app

import app.work.Worker
import app.work.helper

fun entry() { process(3) }

fun process(n: Int): Int {
    validate(n)
    if (n > 0) return process(n - 1)
    val worker = Worker("x")
    worker.run(n)
    return helper(n)
}
`,
    "src/app/Checks.kt": "package app\n\nfun validate(n: Int): Boolean = n > 0\n",
    "src/app/work/Worker.kt": `package app.work

class Worker(private val name: String) {
    fun run(n: Int) { step(n) }

    private fun step(n: Int) {}
}

fun helper(n: Int): Int = n
`,
  },
  scala: {
    "src/app/Main.scala": `package app

import app.work.{Tools, Worker}

object Main {
  def entry(): Unit = process(3)

  def process(n: Int): Int = {
    Checks.validate(n)
    if (n > 0) return process(n - 1)
    val worker = new Worker("x")
    worker.run(n)
    Tools.helper(n)
  }
}
`,
    "src/app/Checks.scala": "package app\n\nobject Checks {\n  def validate(n: Int): Boolean = n > 0\n}\n",
    "src/app/work/Worker.scala": `package app.work

class Worker(name: String) {
  def run(n: Int): Unit = step(n)

  private def step(n: Int): Unit = ()
}

object Tools {
  def helper(n: Int): Int = n
}
`,
  },
  csharp: {
    "Main.cs": `using App.Work;

namespace App;

class Entry
{
    private readonly Worker _worker = new Worker("x");

    void entry() { process(3); }

    int process(int n)
    {
        Checks.validate(n);
        if (n > 0) return process(n - 1);
        _worker.run(n);
        return Tools.helper(n);
    }
}
`,
    "Checks.cs": "namespace App;\n\nstatic class Checks\n{\n    public static bool validate(int n) => n > 0;\n}\n",
    "Work/Worker.cs": `namespace App.Work
{
    public class Worker
    {
        public Worker(string name) { }

        public void run(int n) { step(n); }

        private void step(int n) { }
    }

    public static class Tools
    {
        public static int helper(int n) => n;
    }
}
`,
  },
  c: {
    "main.c": `#include "check.h"
#include "work/worker.h"

int process(int n);

void entry(void) { process(3); }

int process(int n) {
  validate(n);
  if (n > 0) return process(n - 1);
  run(n);
  return helper(n);
}
`,
    "check.h": "int validate(int n);\n",
    "check.c": '#include "check.h"\n\nint validate(int n) { return n > 0; }\n',
    "work/worker.h": "void run(int n);\nint helper(int n);\n",
    "work/worker.c": `#include "worker.h"

static void step(int n) {}

void run(int n) { step(n); }

int helper(int n) { return n; }
`,
  },
  cpp: {
    "main.cpp": `#include "check.hpp"
#include "work/worker.hpp"

int process(int n);

void entry() { process(3); }

int process(int n) {
  validate(n);
  if (n > 0) return process(n - 1);
  work::Worker worker("x");
  worker.run(n);
  return work::helper(n);
}
`,
    "check.hpp": "bool validate(int n);\n",
    "check.cpp": '#include "check.hpp"\n\nbool validate(int n) { return n > 0; }\n',
    "work/worker.hpp": `namespace work {

class Worker {
 public:
  explicit Worker(const char* name);
  void run(int n);

 private:
  void step(int n);
};

int helper(int n);

}  // namespace work
`,
    "work/worker.cpp": `#include "worker.hpp"

namespace work {

void Worker::run(int n) { step(n); }

void Worker::step(int n) {}

int helper(int n) { return n; }

}  // namespace work
`,
  },
  ruby: {
    "lib/main.rb": `require_relative "check"
require_relative "work/worker"

class Main
  def entry
    process(3)
  end

  def process(n)
    Check.validate(n)
    return process(n - 1) if n > 0

    worker = Worker.new("x")
    worker.run(n)
    Tools.helper(n)
  end
end
`,
    "lib/check.rb": "module Check\n  def self.validate(n)\n    n > 0\n  end\nend\n",
    "lib/work/worker.rb": `class Worker
  def initialize(name)
    @name = name
  end

  def run(n)
    step(n)
  end

  def step(n)
  end
end

module Tools
  def self.helper(n)
    n
  end
end
`,
  },
  php: {
    "src/Main.php": `<?php

namespace App;

use App\\Work\\Worker;
use function App\\Work\\helper;

class Main
{
    private Worker $worker;

    public function entry(): void { $this->process(3); }

    public function process(int $n): int
    {
        Checks::validate($n);
        if ($n > 0) return $this->process($n - 1);
        $this->worker->run($n);
        return helper($n);
    }
}
`,
    "src/Checks.php":
      "<?php\n\nnamespace App;\n\nclass Checks\n{\n    public static function validate(int $n): bool { return $n > 0; }\n}\n",
    "src/Work/Worker.php": `<?php

namespace App\\Work;

class Worker
{
    public function run(int $n): void { $this->step($n); }

    private function step(int $n): void {}
}

function helper(int $n): int { return $n; }
`,
  },
  swift: {
    "Sources/App/Main.swift": `import Work

func entry() { process(3) }

func process(_ n: Int) -> Int {
    validate(n)
    if n > 0 { return process(n - 1) }
    let worker = Worker(name: "x")
    worker.run(n)
    return helper(n)
}
`,
    "Sources/App/Checks.swift": "func validate(_ n: Int) -> Bool { return n > 0 }\n",
    "Sources/Work/Worker.swift": `public class Worker {
    let name: String

    public init(name: String) { self.name = name }

    public func run(_ n: Int) { step(n) }
}

public func helper(_ n: Int) -> Int { return n }
`,
    "Sources/Work/Steps.swift": "extension Worker {\n    func step(_ n: Int) {}\n}\n",
  },
};
