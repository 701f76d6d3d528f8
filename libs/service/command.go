package service

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Command is one command of a program.
type Command struct {
	Name string
	Help string // a sentence for --help
	Arg  string // name of the argument in the help, such as FILE; "": the command takes none
	// Flags defines the flags of the command, nil if it has none. A name in `back quotes` in the help of a flag stands
	// for its value.
	Flags func(*flag.FlagSet)
	// Run runs the command. argument is "" if the command takes none.
	Run func(p *Program, argument string) error
}

// usageStatus is the exit status after a malformed command line.
const usageStatus = 80

// commandLine is the result of parsing the arguments of a program.
type commandLine struct {
	command  Command
	argument string
	version  bool // --version was given
	help     bool // --help was given
	named    bool // the arguments name the command; otherwise it is the first one
}

// parse reads the arguments of a program: the name of a command, which may be left out for the first command, its flags
// and its argument, in any order.
func parse(commands []Command, arguments []string) (line commandLine, err error) {
	line.command = commands[0]
	if len(arguments) > 0 && !strings.HasPrefix(arguments[0], "-") {
		if line.command, line.named = find(commands, arguments[0]); !line.named {
			return line, fmt.Errorf("there is no command %s", arguments[0])
		}
		arguments = arguments[1:]
	}
	flags := flagsOf(line.command)
	flags.BoolVar(&line.version, "version", false, "")
	hasArg := false
	for {
		switch err := flags.Parse(arguments); {
		case errors.Is(err, flag.ErrHelp):
			line.help = true
			return line, nil
		case err != nil:
			return line, fmt.Errorf("%s: %w", line.command.Name, err)
		case flags.NArg() == 0 && !hasArg && line.command.Arg != "" && !line.version:
			return line, fmt.Errorf("%s: %s is missing", line.command.Name, line.command.Arg)
		case flags.NArg() == 0:
			return line, nil
		case hasArg || line.command.Arg == "":
			return line, fmt.Errorf("%s: unexpected argument %s", line.command.Name, flags.Arg(0))
		}
		line.argument, hasArg, arguments = flags.Arg(0), true, flags.Args()[1:] // more flags may follow the argument
	}
}

// find returns the command with the name.
func find(commands []Command, name string) (Command, bool) {
	for _, c := range commands {
		if c.Name == name {
			return c, true
		}
	}
	return Command{}, false
}

// flagsOf returns the flags of a command. They print nothing.
func flagsOf(c Command) *flag.FlagSet {
	flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	if c.Flags != nil {
		c.Flags(flags)
	}
	return flags
}

// printHelp prints the flags of the command that the arguments name, or all commands if they name none.
func printHelp(out io.Writer, program, description string, line commandLine, commands []Command) error {
	text := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if line.named {
		c := line.command
		fmt.Fprintf(text, "Usage: %s\n\n%s\n", strings.TrimSpace(program+" "+c.Name+" [FLAGS] "+c.Arg), c.Help)
		heading := "\nFlags:\n"
		flagsOf(c).VisitAll(func(f *flag.Flag) {
			value, help := flag.UnquoteUsage(f)
			fmt.Fprintf(text, "%s  %s\t%s\n", heading, strings.TrimSpace("--"+f.Name+" "+value), help)
			heading = ""
		})
	} else {
		fmt.Fprintf(text, "Usage: %s [COMMAND] [FLAGS]\n\n%s\n\nCommands:\n", program, description)
		for _, c := range commands {
			fmt.Fprintf(text, "  %s\t%s\n", strings.TrimSpace(c.Name+" "+c.Arg), c.Help)
		}
		fmt.Fprint(text, "\nFlags:\n  --version\tPrint the version and exit.\n  --help\tPrint this text, or the "+
			"flags of the command before it, and exit.\n")
	}
	if err := text.Flush(); err != nil {
		return fmt.Errorf("print the help: %w", err)
	}
	return nil
}
