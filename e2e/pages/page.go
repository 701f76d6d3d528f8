// Package pages runs the commands of the documents, so that the documents stay true. It parses a Markdown file
// into a Page, runs the page's blocks one after the other in one bash with `set -euo pipefail`, and compares
// their output with the output that the page shows.
//
// Each page runs in a Linux network namespace of its own, so that it can use the addresses that its text names.
// Fences say what is a command, a file or expected output; HTML comments, which readers do not see, say more,
// for example which services the page needs. docs/writing.md describes them.
package pages

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Page is a document.
type Page struct {
	Name   string   // path in the repository
	Setup  []string // services to start before the first block: keys of setups
	Prose  string   // text outside of fences and comments: what it tells readers to have
	Blocks []Block
}

// Kind says what happens to a block.
type Kind int

// The kinds.
const (
	Command Kind = iota // run until it ends
	Server              // run in the background until the page ends
	File                // written to a file
	Unrun               // not run, for the given reason
)

// Block is a fence that is run or written to a file.
type Block struct {
	Kind   Kind
	Line   int // line number of its fence
	Text   string
	Soon   bool         // run again until it prints what is expected
	Or     bool         // alternative to the block before it; see Ways
	Wanted *Expectation // expected output; nil: any output
	Name   string       // file name, of a File
	Reason string       // why it is not run, of an Unrun
}

// Expectation is the output that a page shows for a block.
type Expectation struct {
	Line int // line number of its fence
	Text string
	JSON bool // compare as JSON, not as text
}

var (
	mark   = regexp.MustCompile(`^\s*<!-- (runs with|file|keeps running|soon|or|not run)(?:: (.+))? -->$`)
	anyTag = regexp.MustCompile(`^\s*<!--`)
	fence  = regexp.MustCompile("^(\\s*)((?:\\d+\\. |- )?)```(.*)$")
)

// shown lists the languages of fences that are neither run nor compared.
var shown = []string{"text", "yaml", "go", "ts", "tsx", "js", "python", "json"}

// reader holds the state while a page is parsed.
type reader struct {
	page  Page
	lines []string
	at    int    // index of the next line
	mark  string // keyword of the comment before the next fence; "" if there is none
	arg   string // text after the colon in that comment
}

// Parse parses a page. To keep mistakes from being ignored, it refuses indented code, fences without a language
// or of an unknown one, unknown comments, and expected output that follows no command.
func Parse(name, text string) (Page, error) {
	r := reader{page: Page{Name: name}, lines: strings.Split(text, "\n")}
	for r.at < len(r.lines) {
		if err := r.next(); err != nil {
			return r.page, fmt.Errorf("%s:%d: %w", name, r.at, err)
		}
	}
	if r.mark != "" {
		return r.page, fmt.Errorf("%s: the comment %q is not followed by a fence", name, r.mark)
	}
	return r.page, nil
}

// next reads a line, or a complete fence.
func (r *reader) next() error {
	line := r.lines[r.at]
	r.at++
	switch {
	case fence.MatchString(line):
		return r.fenced(line)
	case mark.MatchString(line):
		return r.marked(mark.FindStringSubmatch(line))
	case anyTag.MatchString(line):
		return fmt.Errorf("unknown comment: %s", line)
	case strings.TrimSpace(line) == "":
		return nil
	case r.mark != "":
		return fmt.Errorf("the comment %q is not followed by a fence", r.mark)
	case strings.HasPrefix(line, "    ") && r.at > 1 && strings.TrimSpace(r.lines[r.at-2]) == "":
		return fmt.Errorf("indented code is not allowed: use a fence")
	}
	r.page.Prose += line + "\n"
	return nil
}

// marked handles a comment. parts are the submatches of mark.
func (r *reader) marked(parts []string) error {
	if parts[1] == "runs with" {
		if len(r.page.Blocks) > 0 || r.page.Setup != nil {
			return fmt.Errorf("%q must come once, before all commands", parts[1])
		}
		r.page.Setup = strings.Split(parts[2], ", ")
		return nil
	}
	if r.mark != "" {
		return fmt.Errorf("two comments for one fence")
	}
	if needsName := parts[1] == "file" || parts[1] == "not run"; needsName != (parts[2] != "") {
		return fmt.Errorf("%q: a name or reason is missing or not allowed", parts[1])
	}
	r.mark, r.arg = parts[1], parts[2]
	return nil
}

// fenced reads a fence up to its closing line.
func (r *reader) fenced(opening string) error {
	parts := fence.FindStringSubmatch(opening)
	begin, margin, language := r.at, len(parts[1])+len(parts[2]), parts[3]
	var text strings.Builder
	for ; ; r.at++ {
		if r.at == len(r.lines) {
			return fmt.Errorf("the fence is not closed")
		}
		line := r.lines[r.at]
		if strings.TrimSpace(line) == "```" {
			r.at++
			break
		}
		text.WriteString(line[min(margin, len(line)-len(strings.TrimLeft(line, " "))):] + "\n")
	}
	mark, arg := r.mark, r.arg
	r.mark, r.arg = "", ""
	return r.take(Block{Line: begin, Text: text.String()}, language, mark, arg)
}

// take adds a fence to the page, by its language and the comment before it.
func (r *reader) take(b Block, language, mark, arg string) error {
	switch {
	case mark == "or" && len(r.page.Blocks) == 0:
		return fmt.Errorf("%q must follow another command", mark)
	case mark == "file":
		b.Kind, b.Name = File, arg
	case mark == "not run":
		b.Kind, b.Reason = Unrun, arg
	case language == "sql" && mark == "":
		b.Text = "psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 tollgate <<'END OF SQL'\n" + b.Text + "END OF SQL\n"
	case language == "sh":
		b.Soon, b.Or = mark == "soon", mark == "or"
		if mark == "keeps running" {
			b.Kind = Server
		}
	case mark != "":
		return fmt.Errorf("%q is not allowed for a fence of language %q", mark, language)
	case language == "console" || language == "json" && r.wanting():
		return r.want(b, language == "json")
	case slices.Contains(shown, language):
		return nil
	default:
		return fmt.Errorf("unknown fence language %q", language)
	}
	r.page.Blocks = append(r.page.Blocks, b)
	return nil
}

// wanting reports whether the last block may still get expected output.
func (r *reader) wanting() bool {
	if len(r.page.Blocks) == 0 {
		return false
	}
	tail := r.page.Blocks[len(r.page.Blocks)-1]
	return tail.Wanted == nil && tail.Kind != File
}

// want sets the fence as the expected output of the block before it.
func (r *reader) want(b Block, isJSON bool) error {
	if !r.wanting() {
		return fmt.Errorf("expected output without a command before it")
	}
	r.page.Blocks[len(r.page.Blocks)-1].Wanted = &Expectation{Line: b.Line, Text: b.Text, JSON: isJSON}
	return nil
}

// Runs reports whether the page has a block to run.
func (p *Page) Runs() bool {
	return slices.ContainsFunc(p.Blocks, func(b Block) bool { return b.Kind != Unrun })
}

// Ways returns the variants of the page. A block and the alternatives that follow it (Or) take turns: variant i
// has the i-th of them, or the last one if there are fewer. There are as many variants as the largest number of
// alternatives, so every block is in at least one.
func (p *Page) Ways() []Page {
	var turns [][]Block
	maxTurn := 1
	for _, b := range p.Blocks {
		if !b.Or {
			turns = append(turns, nil)
		}
		blocks := &turns[len(turns)-1]
		*blocks = append(*blocks, b)
		maxTurn = max(maxTurn, len(*blocks))
	}
	ways := make([]Page, maxTurn)
	for i := range ways {
		ways[i] = Page{Name: p.Name, Setup: p.Setup, Prose: p.Prose}
		for _, turn := range turns {
			ways[i].Blocks = append(ways[i].Blocks, turn[min(i, len(turn)-1)])
		}
	}
	return ways
}
