package pages

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Check returns nil where a block that printed output printed what is wanted:
//
//   - of text, the same lines, where ... stands for anything within a line, and
//     for any lines where it stands alone; how lines end does not matter;
//   - of JSON, a value that has at least the members that are wanted. ... in a
//     string stands for anything, and as the last item of an array for any further.
func (e *Expectation) Check(output string) error {
	if e.JSON {
		return checkJSON(e.Text, output)
	}
	if !matches(e.Text, output) {
		return fmt.Errorf("it is not\n%s", e.Text)
	}
	return nil
}

// matches reports whether got is what want stands for.
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
	whole := regexp.MustCompile(expr.String() + `\z`)
	return whole.MatchString(strings.TrimRight(strings.ReplaceAll(got, "\r\n", "\n"), " \n") + "\n")
}

func checkJSON(wanted, output string) error {
	var want, got any
	if err := json.Unmarshal([]byte(wanted), &want); err != nil {
		return fmt.Errorf("what is wanted is not JSON: %w", err)
	}
	if err := json.Unmarshal([]byte(output), &got); err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	return within("", want, got)
}

// within reports where got differs from want, which stands at path.
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
	return fmt.Errorf("%s is %v, and not %v", path, got, want)
}

func membersWithin(path string, want map[string]any, got any) error {
	object, ok := got.(map[string]any)
	if !ok {
		return fmt.Errorf("%s is %v, and no object", path, got)
	}
	for name, member := range want {
		found, ok := object[name]
		if !ok {
			return fmt.Errorf("%s.%s is not there", path, name)
		}
		if err := within(path+"."+name, member, found); err != nil {
			return err
		}
	}
	return nil
}

func itemsWithin(path string, want []any, got any) error {
	items, ok := got.([]any)
	if !ok {
		return fmt.Errorf("%s is %v, and no array", path, got)
	}
	open := len(want) > 0 && want[len(want)-1] == "..."
	if open {
		want = want[:len(want)-1]
	}
	if len(items) < len(want) || len(items) > len(want) && !open {
		return fmt.Errorf("%s has %d items, and not %d", path, len(items), len(want))
	}
	for i, item := range want {
		if err := within(fmt.Sprintf("%s[%d]", path, i), item, items[i]); err != nil {
			return err
		}
	}
	return nil
}
