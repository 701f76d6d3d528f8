package openai

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/param"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// maxCharges bounds the charges of a request. Those that follow are merged into the charges of the same kind, so that
// none is lost, see Request.addCharge.
const maxCharges = 64

// toolsField is the top-level member with the tools.
const toolsField = "tools"

// readCharge reads a top-level field by which a request may ask for something that the provider charges for besides
// ordinary tokens. Tools and the lifetime of caches are read after the scan, if it has seen signs of them (see
// chargeSigns).
func (r *Request) readCharge(key []byte, value rawjson.Span) {
	switch string(key) {
	case toolsField:
		r.tools = value
		return
	case "service_tier":
		r.serviceTier = value
		if raw := value.Of(r.body); string(raw) != "null" {
			r.ServiceTier = text(raw)
		}
	}
	r.readChargeField("", key, value, 0)
}

// readChargeField adds the charge of a field. The prefix is the path of the object that has it. Google's servers take
// each name in camel case, too, so all names are read in both forms.
func (r *Request) readChargeField(prefix string, key []byte, value rawjson.Span, depth int) {
	raw := value.Of(r.body)
	if string(raw) == "null" {
		return
	}
	kind := charge.OtherTool
	name := snakeCase(key)
	switch string(name) { // a conversion in the switch allocates nothing
	case "service_tier":
		if tier := r.tierOf(raw); tier != "auto" && !usage.OrdinaryTier(tier) {
			r.addCharge(charge.Charge{Kind: charge.ServiceTier, ServiceTier: tier, Field: prefix + string(key)})
		}
		r.mayNameTier = r.mayNameTier || prefix != "" || len(name) != len(key)
		return
	case "speed": // Anthropic's fast mode has prices of its own, and the answer names it, see metered.Counts
		if speed := strings.ToLower(text(raw)); speed == "fast" || r.dialect == catalog.Messages &&
			speed != "standard" {
			r.addCharge(charge.Charge{Kind: charge.ServiceTier, ServiceTier: speed,
				Field: prefix + string(key), Native: true})
		}
		return
	case "modalities", "response_modalities":
		r.readModalities(value, prefix+string(key))
		return
	case "web_search_options":
		r.addCharge(charge.Charge{Kind: charge.WebSearch, Field: prefix + string(key), Calls: 1})
		return
	case "search_parameters": // of xAI
		if r.searchIsOff(value) {
			return
		}
		kind = charge.WebSearch
	case "enable_search", "web_search": // of Alibaba Cloud, Baidu
		kind = charge.WebSearch
	case "enable_code_interpreter": // of Alibaba Cloud
		kind = charge.CodeInterpreter
	case "plugins", "models", "fallbacks", "fallback_models", "connectors":
		// Of OpenRouter, LiteLLM, Cohere; other models have other prices.
	case "preset", "compound_custom": // a configuration that OpenRouter stores; the tools of Groq's systems
	case "inference_geo": // inference in one region costs more at Anthropic
		if strings.EqualFold(text(raw), "global") {
			return
		}
	case "prompt": // a template that the provider stores, which may have tools
		if raw[0] != '{' {
			return
		}
	case "provider": // of OpenRouter: providers of a model have different prices
		r.eachMember(value, func(member string, order rawjson.Span) {
			switch member {
			case "order", "only", "ignore", "sort":
				if !asksForNothing(order.Of(r.body)) {
					r.addCharge(charge.Charge{Kind: charge.OtherTool, Field: prefix + string(key) + "." + member,
						Native: true})
				}
			}
		})
		return
	case "extra_body", "google": // of Google's endpoint, which reads fields in them; some SDKs send the former as it is
		if depth < maxNested {
			r.eachMember(value, func(member string, inner rawjson.Span) {
				if member == toolsField {
					r.findTools(inner, prefix+string(key)+"."+member, 0)
				}
				r.readChargeField(prefix+string(key)+".", []byte(member), inner, depth+1)
			})
		}
		return
	default:
		return
	}
	if !asksForNothing(raw) {
		r.addCharge(charge.Charge{Kind: kind, Field: prefix + string(key)})
	}
}

// tierOf returns the service tier that a request asks for, in lower case. OpenAI takes fast for priority, and its
// answer names the latter.
func (r *Request) tierOf(raw []byte) string {
	tier := strings.ToLower(text(raw))
	if tier == "fast" && r.dialect != catalog.Messages {
		return "priority"
	}
	return tier
}

// snakeCase returns a name in camel case as one with underscores, and any other name as it is. It does not copy such a
// name.
func snakeCase(key []byte) []byte {
	if !bytes.ContainsFunc(key, unicode.IsUpper) {
		return key
	}
	var name []byte
	for i, c := range key {
		if c >= 'A' && c <= 'Z' {
			if i > 0 && key[i-1] != '_' {
				name = append(name, '_')
			}
			c |= 0x20
		}
		name = append(name, c)
	}
	return name
}

// asksForNothing reports whether a value that is not null asks for nothing: false, or an empty array or text. An empty
// object asks for something, because some fields only have to be there.
func asksForNothing(raw []byte) bool {
	switch raw[0] {
	case 'f':
		return true
	case '[':
		return isEmptyArray(raw)
	}
	return string(raw) == `""`
}

// searchIsOff reports whether xAI's search_parameters turn the search off. It is false if the mode is absent, because
// xAI then lets the model decide, and if one of several modes is another one.
func (r *Request) searchIsOff(parameters rawjson.Span) (isOff bool) {
	offModes, otherModes := 0, 0
	r.eachMember(parameters, func(key string, value rawjson.Span) {
		switch {
		case !strings.EqualFold(key, "mode"):
		case key == "mode" && text(value.Of(r.body)) == "off":
			offModes++
		default:
			otherModes++
		}
	})
	return offModes > 0 && otherModes == 0
}

// text returns a JSON string, or any other value as it is spelled.
func text(raw []byte) string {
	var value string
	if raw[0] != '"' || json.Unmarshal(raw, &value) != nil {
		return string(raw)
	}
	return value
}

// addCharge adds a charge. If the request has very many, it is added to one of the same kind: the field is then that of
// the other one, and the calls of both count.
func (r *Request) addCharge(c charge.Charge) {
	c.Top = c.Field
	if end := strings.IndexAny(c.Field, ".["); end > 0 {
		c.Top = c.Field[:end]
	}
	if len(r.Charges) >= maxCharges {
		if i := slices.IndexFunc(r.Charges, func(previous charge.Charge) bool { return previous.Kind == c.Kind }); i >=
			0 {
			r.Charges[i].Calls = callsOfBoth(r.Charges[i].Calls, c.Calls)
			return
		}
	}
	r.Charges = append(r.Charges, c)
}

// callsOfBoth returns the most calls of two charges together; 0 if one of them states no limit.
func callsOfBoth(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// readModalities adds the charges for images and audio in the answer: of a list, or of one text.
func (r *Request) readModalities(value rawjson.Span, path string) {
	add := func(element rawjson.Span, field string) {
		switch strings.ToLower(text(element.Of(r.body))) {
		case "image":
			r.addCharge(charge.Charge{Kind: charge.ImageOutput, Field: field})
		case "audio":
			r.addCharge(charge.Charge{Kind: charge.AudioOutput, Field: field})
		}
	}
	r.elements(value, func(i int, element rawjson.Span) { add(element, param.Element(path, i)) })
	if r.body[value.Start] == '"' {
		add(value, path)
	}
}

// elements calls visit for every element of an array. It does nothing for another value.
func (r *Request) elements(array rawjson.Span, visit func(i int, element rawjson.Span)) {
	if array == (rawjson.Span{}) || r.body[array.Start] != '[' {
		return
	}
	i := 0
	s := rawjson.Scanner{Body: r.body[:array.End], At: array.Start}
	_ = s.Elements(func(element rawjson.Span) error { // the upstream checks what is malformed
		visit(i, element)
		i++
		return nil
	})
}

// chargeSigns looks in the nested strings of a request for signs of tools that the provider runs, and of caches with a
// lifetime. It sees only strings, one after the other, so it may find signs where there are none.
type chargeSigns struct {
	types     bool // a type that is not one of isPlainType
	lifetimes bool
	afterType bool // the last string was "type"
}

// visit looks at the next nested string. escaped reports whether it has escapes; it may be false for a long string.
func (c *chargeSigns) visit(quoted []byte, escaped bool) {
	if c.afterType {
		c.afterType = false
		if !isPlainType(quoted) {
			c.types = true
		}
	}
	switch {
	case len(quoted) == len(`"type"`) && string(quoted) == `"type"`:
		c.afterType = true
	case len(quoted) == len(`"ttl"`) && string(quoted) == `"ttl"`:
		c.lifetimes = true
	case isToolKey(quoted):
		c.types = true
	case len(quoted) < maxNameLength && (escaped && bytes.Contains(quoted, []byte(`\u`)) || mayHideName(quoted)):
		c.types, c.lifetimes = true, true
	}
}

// maxNameLength is the length in bytes from which a string cannot be the name of a type or of a field, however it is
// escaped.
const maxNameLength = 64

// toolKeys are the keys by which a tool without a type names what the provider runs, as in {"google_search": {}}.
// Google's servers take each also in camel case.
var toolKeys = []string{
	"google_search", "google_search_retrieval", "enterprise_web_search", "google_maps", "url_context", "code_execution",
	"file_search", "web_search",
	"retrieval", "parallel_ai_search",
}

// The lengths in bytes of the shortest and the longest of toolKeys, in camel case or not.
const (
	minToolKeyLength = len("retrieval")
	maxToolKeyLength = len("google_search_retrieval")
)

// isToolKey reports whether a string may be one of toolKeys. It allocates nothing, because it sees every string of a
// request.
func isToolKey(quoted []byte) bool {
	if n := len(quoted) - len(`""`); n < minToolKeyLength || n > maxToolKeyLength {
		return false
	}
	switch quoted[1] | 0x20 { // the first letters of toolKeys, in lower case
	case 'g', 'e', 'u', 'c', 'f', 'w', 'r', 'p':
		return toolKey(quoted[1:len(quoted)-1]) != ""
	}
	return false
}

// toolKey returns the one of toolKeys that a key spells in any case, with or without its underscores, and "" if it
// spells none.
func toolKey(key []byte) string {
	for _, name := range toolKeys {
		if spells(key, name) {
			return name
		}
	}
	return ""
}

// spells reports whether two names are equal except for their case and their underscores.
func spells(key []byte, name string) bool {
	i := 0
	for _, c := range key {
		if c == '_' {
			continue
		}
		for i < len(name) && name[i] == '_' {
			i++
		}
		if i == len(name) || name[i] != c|0x20 {
			return false
		}
		i++
	}
	return i == len(name)
}

// mayHideName reports whether a string is "type" or "ttl" in other letters. Some servers take them for the same field.
func mayHideName(quoted []byte) bool {
	return len(quoted) == len(`"type"`) && bytes.EqualFold(quoted, []byte(`"type"`)) || len(quoted) == len(`"ttl"`) &&
		bytes.EqualFold(quoted, []byte(`"ttl"`))
}

// isPlainType reports whether a string is a usual value of "type" that asks for nothing that is charged for: of tools
// that the client runs, of messages and their parts, and of JSON schemas.
func isPlainType(quoted []byte) bool {
	switch string(quoted) {
	case `"function"`, `"custom"`,
		`"text"`, `"input_text"`, `"output_text"`, `"image_url"`, `"input_image"`, `"input_audio"`, `"input_file"`,
		`"file"`, `"refusal"`,
		`"tool_use"`, `"tool_result"`, `"thinking"`, `"redacted_thinking"`, `"image"`, `"document"`, `"base64"`,
		`"url"`, `"enabled"`, `"adaptive"`, `"auto"`,
		`"message"`, `"function_call"`, `"function_call_output"`, `"reasoning"`, `"summary_text"`, `"ephemeral"`,
		`"json_schema"`, `"json_object"`, `"object"`, `"string"`, `"number"`, `"integer"`, `"boolean"`,
		`"array"`, `"null"`:
		return true
	}
	return false
}

// findCharges reads the tools and the lifetimes of caches of a request with signs of them.
func (r *Request) findCharges() {
	if r.chargeSigns.types {
		r.findTools(r.tools, toolsField, 0)
		r.findAddedTools()
		if r.hasFreeCode {
			r.Charges = slices.DeleteFunc(r.Charges, func(c charge.Charge) bool {
				return c.Kind == charge.CodeInterpreter
			})
		}
	}
	if !r.chargeSigns.lifetimes {
		return
	}
	s := rawjson.Scanner{Body: r.body}
	_, _ = s.Object(func(key []byte, value rawjson.Span) error { // it was scanned before
		r.findLifetimes(key, value, string(key), 0)
		return nil
	})
}

// maxNested is the number of nested arrays and objects up to which tools and lifetimes are looked for.
const maxNested = 12

// findAddedTools adds the charges of the tools that items of the input of a responses request add to those of the
// request: of additional_tools, and of the output of a tool_search that the client runs.
func (r *Request) findAddedTools() {
	if r.dialect != catalog.Responses {
		return
	}
	r.elements(r.input, func(i int, item rawjson.Span) {
		r.eachMember(item, func(key string, value rawjson.Span) {
			if strings.EqualFold(key, toolsField) {
				r.findTools(value, param.Element("input", i)+"."+key, 0)
			}
		})
	})
}

// findTools adds the charges of the tools at a span, and of those in namespaces. A tool is named by its type or, for
// Google, by its key. Other tools without a type, such as functions and those of Anthropic's clients, are free.
func (r *Request) findTools(tools rawjson.Span, path string, depth int) {
	r.elements(tools, func(i int, tool rawjson.Span) { r.findTool(tool, param.Element(path, i), depth) })
	if tools != (rawjson.Span{}) && r.body[tools.Start] == '{' { // malformed, and the upstream may take it for a list
		r.findTool(tools, path, depth)
	}
}

// findTool adds the charges of a tool, see findTools.
func (r *Request) findTool(tool rawjson.Span, path string, depth int) {
	var uses int64
	var kinds, keys []string
	r.eachMember(tool, func(key string, value rawjson.Span) {
		switch strings.ToLower(key) {
		case "type":
			kinds = append(kinds, text(value.Of(r.body)))
		case "max_uses":
			_ = readCount(key, value.Of(r.body), &uses)
		case toolsField:
			if depth < maxNested {
				r.findTools(value, path+"."+key, depth+1)
			}
		case "container", "environment":
			r.addMemoryCharge(value, path+"."+key)
		}
		if name := toolKey([]byte(key)); name != "" && string(value.Of(r.body)) != "null" {
			keys = append(keys, name)
		}
	})
	hasCharge := false
	for _, name := range kinds { // several are malformed, and the upstream may take any of them
		if kind, ok := r.toolKind(name, tool); ok {
			hasCharge = true
			r.addCharge(charge.Charge{Kind: kind, Field: path + ".type", Calls: uses})
		}
	}
	if hasCharge { // such as {"type": "web_search", "web_search": {}}
		return
	}
	for _, name := range keys {
		if kind, ok := r.toolKind(name, tool); ok {
			r.addCharge(charge.Charge{Kind: kind, Field: path, Calls: uses})
		}
	}
}

// addMemoryCharge adds the charge of a container with more memory than usual. Such a session costs many times as much,
// and a price knows only one.
func (r *Request) addMemoryCharge(container rawjson.Span, path string) {
	r.eachMember(container, func(key string, value rawjson.Span) {
		if !strings.EqualFold(key, "memory_limit") {
			return
		}
		if limit := text(value.Of(r.body)); limit != defaultMemory && limit != "null" {
			r.addCharge(charge.Charge{Kind: charge.OtherTool, Field: path + "." + key})
		}
	})
}

// defaultMemory is the memory of a container of OpenAI that states none.
const defaultMemory = "1g"

// eachMember calls visit for each member of an object. It does nothing for another value.
func (r *Request) eachMember(object rawjson.Span, visit func(key string, value rawjson.Span)) {
	if r.body[object.Start] != '{' {
		return
	}
	s := rawjson.Scanner{Body: r.body[:object.End], At: object.Start}
	_, _ = s.Object(func(key []byte, value rawjson.Span) error { // the upstream checks what is malformed
		visit(string(key), value)
		return nil
	})
}

// clientTools are the types of tools that the client runs, and of those for which providers charge only tokens.
var clientTools = []string{
	"", "function", "custom", "namespace", "tool_search", "mcp", "mcp_toolset", "local_shell", "apply_patch",
	"computer", "computer_use", "computer_use_preview",
	"programmatic_tool_calling",
}

// toolKind returns the kind of charge of a tool of the type. ok is false for a tool that the client runs, and for one
// for which providers charge only tokens. Anthropic adds a date to its types.
func (r *Request) toolKind(name string, tool rawjson.Span) (kind charge.Kind, ok bool) {
	name = strings.ToLower(name)
	r.hasFreeCode = r.hasFreeCode || r.dialect == catalog.Messages && runsCodeItself(name)
	hasPrefix := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	}
	switch {
	case slices.Contains(clientTools, name), hasPrefix("bash_2", "text_editor_2", "computer_2", "memory_2",
		"web_fetch_2", "tool_search_tool"):
		return 0, false
	case hasPrefix("web_search"), name == "x_search", name == "browser_search", name == "openrouter:web_search":
		return charge.WebSearch, true
	case name == "file_search", name == "collections_search": // the latter: xAI
		return charge.FileSearch, true
	case name == "code_interpreter", hasPrefix("code_execution"):
		return charge.CodeInterpreter, true
	case name == "shell": // it runs in a container of the provider, unless its environment is local
		environment, _ := r.member(tool, "environment")
		if environment != (rawjson.Span{}) {
			if kind, ok := r.member(environment, "type"); ok && text(kind.Of(r.body)) == "local" {
				return 0, false
			}
		}
		return charge.CodeInterpreter, true
	case name == "image_generation":
		return charge.ImageGeneration, true
	}
	return charge.OtherTool, true
}

// runsCodeItself reports whether a tool of Anthropic's API runs code for the model. Anthropic does not charge for the
// execution of code in a call with such a tool.
func runsCodeItself(name string) bool {
	const since = "20260209" // the first version that does
	for _, tool := range [...]string{"web_search_", "web_fetch_"} {
		if date, ok := strings.CutPrefix(name, tool); ok && len(date) == len(since) && date >= since {
			return true
		}
	}
	return false
}

// addLifetimeCharge adds the charge if the settings of a cache have another lifetime than the usual one. Field is the
// path of the settings.
func (r *Request) addLifetimeCharge(settings rawjson.Span, defaultTTL string, c charge.Charge) {
	path := c.Field
	r.eachMember(settings, func(name string, ttl rawjson.Span) {
		lifetime := text(ttl.Of(r.body))
		if strings.EqualFold(name, "ttl") && lifetime != defaultTTL && lifetime != "null" {
			c.Field = path + "." + name
			r.addCharge(c)
		}
	})
}

// findLifetimes adds the charges of caches that live longer than usual: each cache_control with a ttl, and OpenAI's
// settings. It does not look into the schemas and arguments of functions, where the name may be a property.
func (r *Request) findLifetimes(key []byte, value rawjson.Span, path string, depth int) {
	if depth > maxNested {
		return
	}
	switch string(key) {
	case "parameters", "input_schema", "schema", "arguments", "metadata", "input" /* of a tool call */ :
		if depth > 0 {
			return
		}
	}
	switch {
	case spells(key, "cache_control"):
		// Only a channel that speaks messages gets what a client of messages says about its cache.
		r.addLifetimeCharge(value, "5m",
			charge.Charge{Kind: charge.CacheWrite1h, Field: path, Native: r.dialect == catalog.Messages})
		return
	case spells(key, "prompt_cache_options"), spells(key, "prompt_cache_breakpoint"):
		// OpenAI counts writes by their lifetime
		r.addLifetimeCharge(value, "30m", charge.Charge{Kind: charge.OtherTool, Field: path, Native: true})
		return
	}
	r.elements(value, func(i int, element rawjson.Span) {
		r.findLifetimes(nil, element, param.Element(path, i), depth+1)
	})
	r.eachMember(value, func(name string, inner rawjson.Span) {
		r.findLifetimes([]byte(name), inner, path+"."+name, depth+1)
	})
}
