package openai

// readNeeds takes notice of fields by which a channel is chosen. What is wrong
// with them is the upstream's to say.
func (r *Request) readNeeds(key []byte, value span) {
	raw := value.of(r.body)
	switch string(key) {
	case "tools", "functions":
		r.Tools = r.Tools || raw[0] == '[' && !isEmptyArray(raw)
	case "response_format":
		r.Structured = r.Structured || r.asksForJSON(value)
	case "text":
		if format, ok := r.member(value, "format"); ok {
			r.Structured = r.Structured || r.asksForJSON(format)
		}
	case "prompt_cache_key":
		if says(raw) {
			r.cacheKey = value
		}
	}
}

// says reports whether a value is neither null nor an empty string.
func says(raw []byte) bool { return string(raw) != "null" && string(raw) != `""` }

func isEmptyArray(raw []byte) bool {
	s := scanner{body: raw, at: 1}
	s.space()
	return s.eat(']')
}

// asksForJSON reports whether a format is one of JSON.
func (r *Request) asksForJSON(format span) bool {
	kind, ok := r.member(format, "type")
	if !ok {
		return false
	}
	word := string(kind.of(r.body))
	return word == `"json_schema"` || word == `"json_object"`
}

// member returns the value of a key of an object, the last one where the key
// stands twice.
func (r *Request) member(object span, name string) (found span, ok bool) {
	if r.body[object.start] != '{' {
		return span{}, false
	}
	inner := scanner{body: r.body[:object.end], at: object.start}
	_, err := inner.object(func(key []byte, value span) error {
		if string(key) == name {
			found, ok = value, true
		}
		return nil
	})
	return found, ok && err == nil
}
