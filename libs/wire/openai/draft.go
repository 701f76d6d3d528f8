package openai

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
)

// parameter is one of a scanned object.
type parameter struct {
	name       string
	key, value span
	gone       bool
}

// draft is an object that is being edited: what is not named stays as it is.
type draft struct {
	body    []byte
	members []parameter
	end     int // of the closing brace
	edits   []edit
	added   []byte // fields, each after a comma
}

// drafted scans the top level of the body.
func drafted(body []byte) (*draft, error) {
	d := &draft{body: body}
	s := scanner{body: body}
	end, err := s.object(func(key []byte, value span) error {
		d.members = append(d.members, parameter{name: string(key), key: s.key, value: value})
		return nil
	})
	if err == nil {
		err = s.finish()
	}
	d.end = end
	return d, err
}

// find returns the field, nil where it is absent.
func (d *draft) find(name string) *parameter {
	for i := range d.members {
		if m := &d.members[i]; m.name == name && !m.gone {
			return m
		}
	}
	return nil
}

func (d *draft) replace(at span, with []byte) { d.edits = append(d.edits, edit{at, with}) }

func (d *draft) insert(at int, text []byte) { d.replace(span{at, at}, text) }

// set replaces the field's value, or adds the field.
func (d *draft) set(name string, value []byte) {
	if m := d.find(name); m != nil {
		d.replace(m.value, value)
		return
	}
	quoted, _ := json.Marshal(name) // a string always marshals
	d.added = append(d.added, ',')
	d.added = append(append(append(d.added, quoted...), ':'), value...)
}

// remove takes the field out, if it is there.
func (d *draft) remove(name string) {
	if m := d.find(name); m != nil {
		m.gone = true
	}
}

// apply sets the parameters; null takes one out.
func (d *draft) apply(parameters map[string]json.RawMessage) {
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if value := parameters[name]; string(value) == "null" {
			d.remove(name)
		} else {
			d.set(name, value)
		}
	}
}

// finish returns the edited body.
func (d *draft) finish() Body {
	d.cut()
	left := slices.ContainsFunc(d.members, func(m parameter) bool { return !m.gone })
	if len(d.added) > 0 && !left {
		d.added = d.added[1:]
	}
	if len(d.added) > 0 {
		d.insert(d.end, d.added)
	}
	slices.SortStableFunc(d.edits, func(a, b edit) int { return cmp.Compare(a.at.start, b.at.start) })
	return splice(d.body, d.edits)
}

// cut takes out the fields that are gone, each run of them together with one
// comma: the one after it, or for the last fields the one before them.
func (d *draft) cut() {
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
			d.replace(span{all[first].key.start, all[i].key.start}, nil)
		case first > 0:
			d.replace(span{all[first-1].value.end, all[i-1].value.end}, nil)
		default:
			d.replace(span{all[first].key.start, all[i-1].value.end}, nil)
		}
	}
}

// WithParameters returns the body, which is one JSON object, with top-level parameters
// set; null takes one out. All other bytes stay as they are.
func (b Body) WithParameters(parameters map[string]json.RawMessage) (Body, error) {
	if len(parameters) == 0 {
		return b, nil
	}
	whole := b
	if len(b.segments) != 1 {
		whole.segments = [][]byte{b.Bytes()}
	}
	d, err := drafted(whole.segments[0])
	if err != nil {
		return Body{}, err
	}
	d.apply(parameters)
	return d.finish(), nil
}
