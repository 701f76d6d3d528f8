package service

import (
	"flag"
	"strings"
	"testing"
)

// commandsForTest returns commands that write the flag to *to.
func commandsForTest(to *string) []Command {
	return []Command{
		{Name: "serve", Help: "Serve (the default)."},
		{Name: "import", Arg: "FILE", Help: "Import a file.",
			Flags: func(f *flag.FlagSet) { f.StringVar(to, "to", "", "Write to this `TARGET`.") }},
		{Name: "verify", Help: "Verify.", Flags: func(f *flag.FlagSet) {
			f.StringVar(to, "from", "", "Begin here.")
			f.Bool("json", false, "Print JSON.")
		}},
	}
}

func TestParse_FindsCommandArgumentAndFlags(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ arguments, command, argument, flag string }{
		{"", "serve", "", ""},
		{"serve", "serve", "", ""},
		{"import a.sql", "import", "a.sql", ""},
		{"import a.sql --to b", "import", "a.sql", "b"},
		{"import --to=b a.sql", "import", "a.sql", "b"},
		{"import -", "import", "-", ""},
		{"import - --to b", "import", "-", "b"},
		{"verify --json --from x", "verify", "", "x"},
	} {
		var to string
		line, err := parse(commandsForTest(&to), strings.Fields(row.arguments))
		if err != nil || line.command.Name != row.command || line.argument != row.argument || to != row.flag ||
			line.help || line.version {
			t.Errorf("%q: got %q %q, flag %q, err %v", row.arguments, line.command.Name, line.argument, to, err)
		}
	}
}

func TestParse_RefusesAMalformedCommandLine(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		"serf":             "there is no command serf",
		"serve now":        "serve: unexpected argument now",
		"import":           "import: FILE is missing",
		"import --to b":    "import: FILE is missing",
		"import a b":       "import: unexpected argument b",
		"import a --too b": "import: flag provided but not defined: -too",
		"verify --from":    "verify: flag needs an argument: -from",
		"--json":           "serve: flag provided but not defined: -json",
	} {
		if _, err := parse(commandsForTest(new(string)), strings.Fields(arguments)); err == nil || err.Error() != want {
			t.Errorf("%q: got the error %v, want %q", arguments, err, want)
		}
	}
}

func TestParse_AcceptsHelpAndVersionEverywhere(t *testing.T) {
	t.Parallel()
	for _, arguments := range []string{"--help", "-h", "import --help", "import a --help", "verify -h"} {
		if line, err := parse(commandsForTest(new(string)), strings.Fields(arguments)); err != nil || !line.help {
			t.Errorf("%q: help %v, err %v", arguments, line.help, err)
		}
	}
	for _, arguments := range []string{"--version", "import --version"} {
		if line, err := parse(commandsForTest(new(string)), strings.Fields(arguments)); err != nil || !line.version {
			t.Errorf("%q: version %v, err %v", arguments, line.version, err)
		}
	}
}

func TestPrintHelp_ShowsTheCommandsOrTheFlagsOfOne(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		"--help": `Usage: demo [COMMAND] [FLAGS]

A demo.

Commands:
  serve        Serve (the default).
  import FILE  Import a file.
  verify       Verify.

Flags:
  --version  Print the version and exit.
  --help     Print this text, or the flags of the command before it, and exit.
`,
		"import --help": `Usage: demo import [FLAGS] FILE

Import a file.

Flags:
  --to TARGET  Write to this TARGET.
`,
	} {
		commands := commandsForTest(new(string))
		line, err := parse(commands, strings.Fields(arguments))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := printHelp(&out, "demo", "A demo.", line, commands); err != nil || out.String() != want {
			t.Errorf("%q: err %v, printed\n%s", arguments, err, out.String())
		}
	}
}
