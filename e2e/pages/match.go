package pages

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Check returns nil if the output of a block is as expected, else an error that says where it differs:
//
//   - Text must have the same lines. ... in a line stands for any characters of the
//     line; a line of only ... stands for any number of lines. CRLF equals LF, and
//     spaces at the end of lines are ignored.
//   - JSON must be a value that has at least the expected members. ... in a string
//     stands for any characters, the string "..." for any value; as the last item of
//     an array it stands for any further items.
func (e *Expectation) Check(output string) error {
	if e.JSON {
		return checkJSON(e.Text, output)
	}
	if !matches(e.Text, output) {
		return fmt.Errorf("the expected output is\n%s", e.Text)
	}
	return nil
}

// matches reports whether got matches the pattern want, with the rules for text.
func matches(want, got string) bool {
	var expr strings.Builder
	expr.WriteString(`\A`)
	for line := range strings.SplitSeq(strings.TrimRight(want, " \n"), "\n") {
		if strings.TrimSpace(line) == "..." {
			expr.WriteString(`(?s:.*\n)?`)
			continue
		}
		expr.WriteString(strings.ReplaceAll(regexp.QuoteMeta(strings.TrimRight(line, " ")), `\.\.\.`, `.*`) + ` *\n`)
	}
	pattern := regexp.MustCompile(expr.String() + `\z`)
	return pattern.MatchString(strings.TrimRight(strings.ReplaceAll(got, "\r\n", "\n"), " \n") + "\n")
}

// checkJSON compares JSON output with the expectation.
func checkJSON(text, output string) error {
	var want, got any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		return fmt.Errorf("the expectation is not JSON: %w", err)
	}
	if err := json.Unmarshal([]byte(output), &got); err != nil {
		return fmt.Errorf("the output is not JSON: %w", err)
	}
	return within("", want, got)
}

// within returns an error if got does not match want. path is the place of the value, for the error.
func within(path string, want, got any) error {
	switch want := want.(type) {
	case map[string]any:
		return membersWithin(path, want, got)
	case []any:
		return itemsWithin(path, want, got)
	case string:
		if text, ok := got.(string); ok && matches(want, text) || want == "..." {
			return nil
		}
	default:
		if want == got {
			return nil
		}
	}
	return fmt.Errorf("%s: got %v, want %v", path, got, want)
}

// membersWithin compares the members of want only; got may have more.
func membersWithin(path string, want map[string]any, got any) error {
	object, ok := got.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: got %v, want an object", path, got)
	}
	for name, member := range want {
		value, ok := object[name]
		if !ok {
			return fmt.Errorf("%s.%s is missing", path, name)
		}
		if err := within(path+"."+name, member, value); err != nil {
			return err
		}
	}
	return nil
}

// itemsWithin compares arrays item by item. If want ends with "...", got may have more items.
func itemsWithin(path string, want []any, got any) error {
	items, ok := got.([]any)
	if !ok {
		return fmt.Errorf("%s: got %v, want an array", path, got)
	}
	open := len(want) > 0 && want[len(want)-1] == "..."
	if open {
		want = want[:len(want)-1]
	}
	if len(items) < len(want) || len(items) > len(want) && !open {
		return fmt.Errorf("%s: got %d items, want %d", path, len(items), len(want))
	}
	for i, item := range want {
		if err := within(fmt.Sprintf("%s[%d]", path, i), item, items[i]); err != nil {
			return err
		}
	}
	return nil
}
