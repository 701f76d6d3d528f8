package usage

import "encoding/json"

// Tags are the tags of one call as a JSON object of strings, with its keys sorted and without white space. "" means no
// tags. Package attribution makes them, so that equal tags are equal texts.
type Tags string

// Map returns the tags by name. It is empty for a text that package attribution did not make.
func (t Tags) Map() map[string]string {
	tags := map[string]string{}
	if t == "" || json.Unmarshal([]byte(t), &tags) != nil {
		return map[string]string{}
	}
	return tags
}
