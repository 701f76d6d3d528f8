package rawjson

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
)

// ObjectMember is a member of the object that a Draft edits.
type ObjectMember struct {
	name       string
	Key, Value Span
	gone       bool
}

// Draft is an object that is being edited. All members that no method names keep
// their bytes.
type Draft struct {
	Body    []byte
	members []ObjectMember
	end     int    // of the closing brace
	Edits   []Edit // in any order, must not overlap
	added   []byte // members, each after a comma
}

// NewDraft scans the top level of the body, which is one JSON object.
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

// Find returns the member, nil if it is absent.
func (d *Draft) Find(name string) *ObjectMember {
	for i := range d.members {
		if m := &d.members[i]; m.name == name && !m.gone {
			return m
		}
	}
	return nil
}

// Replace replaces a span of the body.
func (d *Draft) Replace(at Span, with []byte) { d.Edits = append(d.Edits, Edit{at, with}) }

// Insert inserts text at an offset of the body.
func (d *Draft) Insert(at int, text []byte) { d.Replace(Span{at, at}, text) }

// Set replaces the member's value, or adds the member.
func (d *Draft) Set(name string, value []byte) {
	if m := d.Find(name); m != nil {
		d.Replace(m.Value, value)
		return
	}
	quoted, _ := json.Marshal(name) // a string always marshals
	d.added = append(d.added, ',')
	d.added = append(append(append(d.added, quoted...), ':'), value...)
}

// Remove removes the member if it is present.
func (d *Draft) Remove(name string) {
	if m := d.Find(name); m != nil {
		m.gone = true
	}
}

// Apply sets the members of parameters. The value null removes a member.
func (d *Draft) Apply(parameters map[string]json.RawMessage) {
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if value := parameters[name]; string(value) == "null" {
			d.Remove(name)
		} else {
			d.Set(name, value)
		}
	}
}

// Finish returns the edited body.
func (d *Draft) Finish() Body {
	d.cut()
	left := slices.ContainsFunc(d.members, func(m ObjectMember) bool { return !m.gone })
	if len(d.added) > 0 && !left {
		d.added = d.added[1:]
	}
	if len(d.added) > 0 {
		d.Insert(d.end, d.added)
	}
	slices.SortStableFunc(d.Edits, func(a, b Edit) int { return cmp.Compare(a.At.Start, b.At.Start) })
	return Splice(d.Body, d.Edits)
}

// cut removes the members that are gone, each run of them with one comma: the one
// after it, or for the last members the one before them.
func (d *Draft) cut() {
	all := d.members
	for i := 0; i < len(all); i++ {
		if !all[i].gone {
			continue
		}
		first := i
		for i < len(all) && all[i].gone {
			i++
		}
		switch {
		case i < len(all):
			d.Replace(Span{all[first].Key.Start, all[i].Key.Start}, nil)
		case first > 0:
			d.Replace(Span{all[first-1].Value.End, all[i-1].Value.End}, nil)
		default:
			d.Replace(Span{all[first].Key.Start, all[i-1].Value.End}, nil)
		}
	}
}

// WithParameters returns the body, which is one JSON object, with the top-level
// members of parameters set. The value null removes a member. All other bytes
// stay as they are.
func (b Body) WithParameters(parameters map[string]json.RawMessage) (Body, error) {
	if len(parameters) == 0 {
		return b, nil
	}
	whole := b
	if len(b.segments) != 1 {
		whole.segments = [][]byte{b.Bytes()}
	}
	d, err := NewDraft(whole.segments[0])
	if err != nil {
		return Body{}, err
	}
	d.Apply(parameters)
	return d.Finish(), nil
}
