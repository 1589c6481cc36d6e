/** What a use means in shells: functions and variables have names of their own, files are sourced. */
import { checkUses as check } from "../../test/kit/references.ts";

const tree = {
  "lib/util.sh": 'LIMIT=3\nlog_line() { echo "$1 $LIMIT"; }\ngit-sync() { log_line a; }\n',
  "bin/main.sh": `DIR="$(dirname "$0")"
source "$DIR/../lib/util.sh"
log=1
log() { local LIMIT=2; echo $LIMIT $log; log_line b; }
cleanup() { log; LIMIT=4; }
trap cleanup EXIT
if log; then git-sync; fi
`,
};
check(
  "a function of a file that is sourced",
  tree,
  ["lib/util.sh", "log_line"],
  "bin/main.sh:4:41 calls import",
  "lib/util.sh:3:13 calls exact",
);
check("a name with a hyphen", tree, ["lib/util.sh", "git-sync"], "bin/main.sh:7:13 calls import");
check(
  "a global variable; a local of its name is another",
  tree,
  ["lib/util.sh", "LIMIT"],
  "bin/main.sh:5:17 references import",
  "lib/util.sh:2:23 references exact",
);
check("a variable and a function of one name", tree, ["bin/main.sh", "log"], "bin/main.sh:4:36 references exact");
check(
  "the function of that name",
  tree,
  ["bin/main.sh", "log", 1],
  "bin/main.sh:5:12 calls exact",
  "bin/main.sh:7:3 calls exact",
);
check("a function that a trap is given", tree, ["bin/main.sh", "cleanup"], "bin/main.sh:6:5 calls exact");

const programs = {
  "bin/one.sh": 'TARGET=1\nrun_it() { echo "$TARGET"; }\n',
  "bin/two.sh": 'echo "$TARGET"\n',
};
check(
  "a variable of another program may come from its environment, at best",
  programs,
  ["bin/one.sh", "TARGET"],
  "bin/one.sh:2:18 references exact",
  "bin/two.sh:1:7 references name_only",
);
