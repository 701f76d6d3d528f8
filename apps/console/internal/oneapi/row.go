package oneapi

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"github.com/tollgate/tollgate/apps/console/internal/sqldump"
)

// row reads the columns of a row. Any column may be missing, because versions of the programs have different columns.
type row struct{ sqldump.Row }

// text returns the value of a column without surrounding blanks; "" if it is missing or NULL.
func (r row) text(column string) string {
	v, _ := r.Value(column)
	return strings.TrimSpace(v.Text)
}

// number returns the value of a column as an integer, or otherwise if it is missing or not an integer.
func (r row) number(column string, otherwise int64) int64 {
	if n, err := strconv.ParseInt(r.text(column), 10, 64); err == nil {
		return n
	}
	return otherwise
}

// truth returns the value of a column as a boolean, in any of the forms in which databases dump booleans.
func (r row) truth(column string) bool {
	switch strings.ToLower(r.text(column)) {
	case "1", "t", "true", "\x01":
		return true
	}
	return false
}

// empty reports whether a value is one that a column has if
// nobody has set it: empty, zero, false, or an empty JSON value.
func empty(value string) bool {
	switch strings.ToLower(value) {
	case "f", "false", "{}", "[]", "null", "\x00":
		return true
	}
	return strings.Trim(value, "0.") == ""
}

// isSet reports whether somebody has set the column.
func (r row) isSet(column string) bool { return !empty(r.text(column)) }

// list splits the value of a column at any of the separators.
func (r row) list(column string, separators string) []string {
	return strings.FieldsFunc(r.text(column), func(c rune) bool { return strings.ContainsRune(separators, c) })
}

// trimmed returns the entries without surrounding blanks, without empty ones and without duplicates.
func trimmed(list []string) (out []string) {
	set := map[string]bool{}
	for _, entry := range list {
		if entry = strings.TrimSpace(entry); entry != "" && !set[entry] {
			set[entry] = true
			out = append(out, entry)
		}
	}
	return out
}

// deleted reports whether the row is marked as deleted.
func (r row) deleted() bool {
	v, exists := r.Value("deleted_at")
	return exists && !v.Null && v.Text != ""
}

// maxDecimal is the largest length of a number: more than any ratio needs, and cheap to compute with.
const maxDecimal = 64

// rational returns a JSON number as an exact fraction. It returns false if the text is not a number, is
// negative, is longer than maxDecimal, or has an exponent beyond 18, which would make computing expensive.
func rational(n json.Number) (*big.Rat, bool) {
	text := n.String()
	if _, exponent, hasExponent := strings.Cut(strings.ToLower(text), "e"); hasExponent {
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
