package oneapi

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"github.com/tollgate/tollgate/apps/console/internal/sqldump"
)

// row reads columns, of which any may be missing: they differ by version.
type row struct{ sqldump.Row }

func (r row) text(column string) string { return strings.TrimSpace(r.Row[column].Text) }

// number returns a whole number; what is none, or is not there, is otherwise.
func (r row) number(column string, otherwise int64) int64 {
	if n, err := strconv.ParseInt(r.text(column), 10, 64); err == nil {
		return n
	}
	return otherwise
}

func (r row) truth(column string) bool {
	switch strings.ToLower(r.text(column)) {
	case "1", "t", "true", "\x01":
		return true
	}
	return false
}

// empty reports whether a value is what a column holds that nobody set.
func empty(value string) bool {
	switch strings.ToLower(value) {
	case "f", "false", "{}", "[]", "null", "\x00":
		return true
	}
	return strings.Trim(value, "0.") == ""
}

// says reports whether somebody set the column.
func (r row) says(column string) bool { return !empty(r.text(column)) }

// list splits a column at its separators.
func (r row) list(column string, separators string) []string {
	return strings.FieldsFunc(r.text(column), func(c rune) bool { return strings.ContainsRune(separators, c) })
}

// trimmed are the entries of a list without blanks, each once.
func trimmed(list []string) (out []string) {
	seen := map[string]bool{}
	for _, entry := range list {
		if entry = strings.TrimSpace(entry); entry != "" && !seen[entry] {
			seen[entry] = true
			out = append(out, entry)
		}
	}
	return out
}

// deleted reports whether the row is kept only as a memory.
func (r row) deleted() bool {
	v, exists := r.Row["deleted_at"]
	return exists && !v.Null && v.Text != ""
}

// maxDecimal is longer than any ratio, and short enough to be cheap.
const maxDecimal = 64

// rational reads a number of JSON exactly; ok is false for what is none, is
// negative, or is out of all proportion.
func rational(n json.Number) (*big.Rat, bool) {
	text := n.String()
	if _, exponent, found := strings.Cut(strings.ToLower(text), "e"); found {
		if e, err := strconv.Atoi(exponent); err != nil || e > 18 || e < -18 {
			return nil, false
		}
	}
	if len(text) > maxDecimal {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || r.Sign() < 0 {
		return nil, false
	}
	return r, true
}
