package tally

import (
	"bytes"
	"strings"

	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// The parts of keys by which isCost is skipped for nearly all usage objects.
var (
	costPart  = []byte(`cost`)
	quotaPart = []byte(`"quota"`)
)

// isCost reports whether a member of a usage object states what the upstream charges: OpenRouter's cost and
// cost_details, xAI's cost_in_usd_ticks, DeepInfra's estimated_cost, and the quota of an upstream that is a gateway
// like this one.
func isCost(key []byte) bool {
	name := string(key)
	return name == "cost" || name == "quota" || strings.HasPrefix(name, "cost_") || strings.HasSuffix(name, "_cost")
}

// HideCost overwrites the members of the usage object at a span that state what the upstream charges with spaces, so
// that all other bytes stay where they are. It reports whether there was one. The client is a tenant, and only
// operators may see the supplier's cost.
func HideCost(data []byte, usage rawjson.Span) (ok bool) {
	if usage == (rawjson.Span{}) {
		return false
	}
	object := usage.Of(data)
	if !bytes.Contains(object, costPart) && !bytes.Contains(object, quotaPart) {
		return false
	}
	hasMember, end := false, usage.Start+1 // the end of the member before, or of the opening brace
	s := rawjson.Scanner{Body: data[:usage.End], At: usage.Start}
	_, _ = s.Object(func(key []byte, value rawjson.Span) error { // the object was scanned before
		member := data[end:value.End] // with the comma before it
		end = value.End
		switch {
		case isCost(key):
			blank(member)
			ok = true
		case !hasMember:
			hasMember = true
			if at := bytes.IndexByte(member, ','); ok && at < bytes.IndexByte(member, '"') {
				blank(member[:at+1])
			}
		}
		return nil
	})
	return ok
}

// blank overwrites text with spaces.
func blank(text []byte) {
	for i := range text {
		text[i] = ' '
	}
}
