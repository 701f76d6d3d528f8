// Package pages runs the commands of the documents: each page in a shell, and
// in a network of its own, so that it has the addresses that it names.
//
// What a page says to it stands in fences and in comments that readers do not
// see; docs/writing.md describes them.
package pages

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Page is a document.
type Page struct {
	Name   string   // its path in the repository
	Setup  []string // what runs beside its shell, by the words of setups
	Blocks []Block
}

// Kind is what becomes of a block.
type Kind int

// The kinds.
const (
	Command Kind = iota // is run to its end
	Server              // is run in the background, until the page is over
	File                // is written to a file
	Unrun               // is left out, for a reason
)

// Block is a fence that the shell does something with.
type Block struct {
	Kind   Kind
	Line   int // of its fence
	Text   string
	Soon   bool         // is run again until it prints what is wanted
	Or     bool         // does what the block before it does, in another way
	Wanted *Expectation // of what it prints; nil: anything
	Name   string       // of a File
	Reason string       // of an Unrun
}

// Expectation is what a block prints.
type Expectation struct {
	Line int // of its fence
	Text string
	JSON bool // and not plain text
}

var (
	mark   = regexp.MustCompile(`^\s*<!-- (runs with|file|keeps running|soon|or|not run)(?:: (.+))? -->$`)
	anyTag = regexp.MustCompile(`^\s*<!--`)
	fence  = regexp.MustCompile("^(\\s*)((?:\\d+\\. |- )?)```(.*)$")
)

// shown are the languages of fences that are for reading alone.
var shown = []string{"text", "yaml", "go", "ts", "js", "python", "json"}

// reader is a page that is being read.
type reader struct {
	page  Page
	lines []string
	at    int    // index of the next line
	mark  string // the comment before the next fence, and what it says
	said  string
}

// Parse reads a page. It refuses what it could only pass over: code that is
// indented, fences of no or unknown language, comments that it does not know, and
// expectations of nothing.
func Parse(name, text string) (Page, error) {
	r := reader{page: Page{Name: name}, lines: strings.Split(text, "\n")}
	for r.at < len(r.lines) {
		if err := r.next(); err != nil {
			return r.page, fmt.Errorf("%s:%d: %w", name, r.at, err)
		}
	}
	if r.mark != "" {
		return r.page, fmt.Errorf("%s: %q is before no fence", name, r.mark)
	}
	return r.page, nil
}

// next reads a line, or a whole fence.
func (r *reader) next() error {
	line := r.lines[r.at]
	r.at++
	switch {
	case fence.MatchString(line):
		return r.fenced(line)
	case mark.MatchString(line):
		return r.marked(mark.FindStringSubmatch(line))
	case anyTag.MatchString(line):
		return fmt.Errorf("an unknown comment: %s", line)
	case strings.TrimSpace(line) == "":
		return nil
	case r.mark != "":
		return fmt.Errorf("%q is before no fence", r.mark)
	case strings.HasPrefix(line, "    ") && r.at > 1 && strings.TrimSpace(r.lines[r.at-2]) == "":
		return fmt.Errorf("indented code: put it into a fence")
	}
	return nil
}

func (r *reader) marked(parts []string) error {
	if parts[1] == "runs with" {
		if len(r.page.Blocks) > 0 || r.page.Setup != nil {
			return fmt.Errorf("%q is said once, before all commands", parts[1])
		}
		r.page.Setup = strings.Split(parts[2], ", ")
		return nil
	}
	if r.mark != "" {
		return fmt.Errorf("two comments for one fence")
	}
	if named := parts[1] == "file" || parts[1] == "not run"; named != (parts[2] != "") {
		return fmt.Errorf("%q names nothing, or too much", parts[1])
	}
	r.mark, r.said = parts[1], parts[2]
	return nil
}

// fenced reads a fence to its end.
func (r *reader) fenced(opening string) error {
	parts := fence.FindStringSubmatch(opening)
	begin, margin, language := r.at, len(parts[1])+len(parts[2]), parts[3]
	var text strings.Builder
	for ; ; r.at++ {
		if r.at == len(r.lines) {
			return fmt.Errorf("a fence without an end")
		}
		line := r.lines[r.at]
		if strings.TrimSpace(line) == "```" {
			r.at++
			break
		}
		text.WriteString(line[min(margin, len(line)-len(strings.TrimLeft(line, " "))):] + "\n")
	}
	mark, said := r.mark, r.said
	r.mark, r.said = "", ""
	return r.take(Block{Line: begin, Text: text.String()}, language, mark, said)
}

// take adds a fence to the page.
func (r *reader) take(b Block, language, mark, said string) error {
	switch {
	case mark == "or" && len(r.page.Blocks) == 0:
		return fmt.Errorf("%q is said of the first command", mark)
	case mark == "file":
		b.Kind, b.Name = File, said
	case mark == "not run":
		b.Kind, b.Reason = Unrun, said
	case language == "sql" && mark == "":
		b.Text = "psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 tollgate <<'END OF SQL'\n" + b.Text + "END OF SQL\n"
	case language == "sh":
		b.Soon, b.Or = mark == "soon", mark == "or"
		if mark == "keeps running" {
			b.Kind = Server
		}
	case mark != "":
		return fmt.Errorf("%q is said of %s", mark, language)
	case language == "console" || language == "json" && r.wanting():
		return r.want(b, language == "json")
	case slices.Contains(shown, language):
		return nil
	default:
		return fmt.Errorf("a fence of the language %q", language)
	}
	r.page.Blocks = append(r.page.Blocks, b)
	return nil
}

// wanting reports whether the last block may say what it prints.
func (r *reader) wanting() bool {
	if len(r.page.Blocks) == 0 {
		return false
	}
	last := r.page.Blocks[len(r.page.Blocks)-1]
	return last.Wanted == nil && last.Kind != File
}

// want makes the fence what the block before it prints.
func (r *reader) want(b Block, isJSON bool) error {
	if !r.wanting() {
		return fmt.Errorf("nothing prints this")
	}
	r.page.Blocks[len(r.page.Blocks)-1].Wanted = &Expectation{Line: b.Line, Text: b.Text, JSON: isJSON}
	return nil
}

// Runs reports whether the page has anything to run.
func (p *Page) Runs() bool {
	return slices.ContainsFunc(p.Blocks, func(b Block) bool { return b.Kind != Unrun })
}

// Ways returns the page as often as it takes for every block to be in one: a
// block and those that do the same in another way take turns.
func (p *Page) Ways() []Page {
	var turns [][]Block
	most := 1
	for _, b := range p.Blocks {
		if !b.Or {
			turns = append(turns, nil)
		}
		last := &turns[len(turns)-1]
		*last = append(*last, b)
		most = max(most, len(*last))
	}
	ways := make([]Page, most)
	for i := range ways {
		ways[i] = Page{Name: p.Name, Setup: p.Setup}
		for _, turn := range turns {
			ways[i].Blocks = append(ways[i].Blocks, turn[min(i, len(turn)-1)])
		}
	}
	return ways
}
