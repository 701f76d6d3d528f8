// Package claim states which claims the ID tokens of an issuer must have, so that only some of the issuer's people may
// sign in: those of one Google Workspace (hd), of one Entra ID tenant (tid), or of a group (groups, roles).
package claim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Requirement says that a claim of the ID token must have one of the values, or contain one of them if it is an array.
// Values are compared exactly. A Boolean has the value true or false, a number that of its digits.
type Requirement struct {
	Claim  string   `json:"claim"`
	Values []string `json:"values"`
}

// The bounds of the requirements of one issuer.
const (
	maxRequirements = 10
	maxValues       = 50
	maxName         = 100 // bytes
	maxValue        = 300 // bytes
)

// names matches names of claims: those of the specifications, and the URLs that some issuers use.
var names = regexp.MustCompile(`^[A-Za-z0-9_./:-]+$`)

// Check returns an error, whose text is for the one who sets the requirements, unless there are at most 10 requirements
// of different claims, each with 1 to 50 values.
func Check(requirements []Requirement) error {
	if len(requirements) > maxRequirements {
		return fmt.Errorf("required_claims must have at most %d claims", maxRequirements)
	}
	claims := map[string]bool{}
	for _, r := range requirements {
		if len(r.Claim) > maxName || !names.MatchString(r.Claim) {
			return fmt.Errorf("the name of a required claim must have 1 to %d letters, digits and characters of _ . "+
				"/ : -", maxName)
		}
		if claims[r.Claim] {
			return fmt.Errorf("required_claims must have the claim %s once, with all its values", r.Claim)
		}
		claims[r.Claim] = true
		if len(r.Values) == 0 || len(r.Values) > maxValues {
			return fmt.Errorf("the required claim %s must have 1 to %d values", r.Claim, maxValues)
		}
		if slices.ContainsFunc(r.Values, func(v string) bool {
			return v == "" || len(v) > maxValue || strings.ToValidUTF8(v, "") != v || strings.ContainsRune(v, 0)
		}) {
			return fmt.Errorf("each value of the required claim %s must be a text of 1 to %d bytes", r.Claim, maxValue)
		}
	}
	return nil
}

// Parse returns the requirements that a text such as "hd=acme.example,groups=staff,groups=admins" states: a claim that
// is named several times must have one of its values. Values have no commas. It returns an error for other texts.
func Parse(text string) ([]Requirement, error) {
	var requirements []Requirement
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		if name, value = strings.TrimSpace(name), strings.TrimSpace(value); !ok || name == "" || value == "" {
			return nil, errors.New("required claims must have the form claim=value, separated by commas")
		}
		if i := slices.IndexFunc(requirements, func(r Requirement) bool { return r.Claim == name }); i >= 0 {
			requirements[i].Values = append(requirements[i].Values, value)
		} else {
			requirements = append(requirements, Requirement{name, []string{value}})
		}
	}
	return requirements, Check(requirements)
}

// Equal reports whether two lists state the same requirements in the same order.
func Equal(a, b []Requirement) bool {
	return slices.EqualFunc(a, b, func(x, y Requirement) bool {
		return x.Claim == y.Claim && slices.Equal(x.Values, y.Values)
	})
}

// FirstUnmet returns the name of the first claim that does not meet its requirement, or "" if all do.
func FirstUnmet(requirements []Requirement, claims map[string]json.RawMessage) string {
	for _, r := range requirements {
		if !r.isMetBy(claims[r.Claim]) {
			return r.Claim
		}
	}
	return ""
}

// isMetBy reports whether the JSON value, nil for none, meets the requirement.
func (r Requirement) isMetBy(raw json.RawMessage) bool {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return false
	}
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	return slices.ContainsFunc(list, func(v any) bool { return slices.Contains(r.Values, textOf(v)) })
}

// textOf returns the text that is compared with the values of a requirement: "", which no requirement has, for null,
// objects and arrays.
func textOf(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		if v {
			return "true"
		}
		return "false"
	}
	return ""
}
