package rawjson

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
)

// ObjectMember represents a member of the object that a Draft edits. Key is the span of the key with its
// quotes.
type ObjectMember struct {
	name       string // decoded
	Key, Value Span
	removed    bool
}

// Draft collects edits of one object. Finish applies all of them. Members that no edit concerns keep their
// bytes, and added members come last. A Draft is used once and by one goroutine.
type Draft struct {
	Body      []byte
	members   []ObjectMember
	end       int    // offset of the closing brace
	Edits     []Edit // in any order; they must not overlap, nor lie inside a member that is removed
	additions []byte // the added members, each after a comma
}

// NewDraft scans the top level of the body, which must be one JSON object. The body must not change until the
// result of Finish is no longer used. Errors are *SyntaxError.
func NewDraft(body []byte) (*Draft, error) {
	d := &Draft{Body: body}
	s := Scanner{Body: body}
	end, err := s.Object(func(key []byte, value Span) error {
		d.members = append(d.members, ObjectMember{name: string(key), Key: s.Key, Value: value})
		return nil
	})
	if err == nil {
		err = s.Finish()
	}
	d.end = end
	return d, err
}

// Find returns the first member with the name, or nil if it is absent or removed. It does not find members
// that Set added.
func (d *Draft) Find(name string) *ObjectMember {
	for i := range d.members {
		if m := &d.members[i]; m.name == name && !m.removed {
			return m
		}
	}
	return nil
}

// Replace replaces a span of the original body.
func (d *Draft) Replace(at Span, with []byte) { d.Edits = append(d.Edits, Edit{at, with}) }

// Insert inserts text at an offset of the original body.
func (d *Draft) Insert(at int, text []byte) { d.Replace(Span{at, at}, text) }

// Set replaces the member's value, or adds the member at the end of the object. value must be valid JSON. Set
// may be called once for a name.
func (d *Draft) Set(name string, value []byte) {
	if m := d.Find(name); m != nil {
		d.Replace(m.Value, value)
		return
	}
	quoted, _ := json.Marshal(name) // a string always marshals
	d.additions = append(d.additions, ',')
	d.additions = append(append(append(d.additions, quoted...), ':'), value...)
}

// Remove removes the member if it is present.
func (d *Draft) Remove(name string) {
	if m := d.Find(name); m != nil {
		m.removed = true
	}
}

// Apply sets each member that parameters names. The value null removes the member. Members are added in the
// order of their names, so that the same parameters always give the same bytes.
func (d *Draft) Apply(parameters map[string]json.RawMessage) {
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if value := parameters[name]; string(value) == "null" {
			d.Remove(name)
		} else {
			d.Set(name, value)
		}
	}
}

// Finish returns the edited body. The Draft must not be used afterwards.
func (d *Draft) Finish() Body {
	d.editRemoved()
	remaining := slices.ContainsFunc(d.members, func(m ObjectMember) bool { return !m.removed })
	if len(d.additions) > 0 && !remaining {
		d.additions = d.additions[1:]
	}
	if len(d.additions) > 0 {
		d.Insert(d.end, d.additions)
	}
	slices.SortStableFunc(d.Edits, func(a, b Edit) int { return cmp.Compare(a.At.Start, b.At.Start) })
	return Splice(d.Body, d.Edits)
}

// editRemoved adds the edits that delete the removed members. Each run of adjacent members is deleted
// together with exactly one comma: the comma after the run, or before it if the run is at the end of the
// object.
func (d *Draft) editRemoved() {
	members := d.members
	for i := 0; i < len(members); i++ {
		if !members[i].removed {
			continue
		}
		start := i
		for i < len(members) && members[i].removed {
			i++
		}
		switch {
		case i < len(members):
			d.Replace(Span{members[start].Key.Start, members[i].Key.Start}, nil)
		case start > 0:
			d.Replace(Span{members[start-1].Value.End, members[i-1].Value.End}, nil)
		default:
			d.Replace(Span{members[start].Key.Start, members[i-1].Value.End}, nil)
		}
	}
}

// WithParameters returns the body with the top-level members of parameters set. The value null removes a
// member. All other bytes stay as they are. The body must be one JSON object; otherwise the error is a
// *SyntaxError. Without parameters it returns b unchecked.
func (b Body) WithParameters(parameters map[string]json.RawMessage) (Body, error) {
	if len(parameters) == 0 {
		return b, nil
	}
	body := b
	if len(b.segments) != 1 {
		body.segments = [][]byte{b.Bytes()}
	}
	d, err := NewDraft(body.segments[0])
	if err != nil {
		return Body{}, err
	}
	d.Apply(parameters)
	return d.Finish(), nil
}
