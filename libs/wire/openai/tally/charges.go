package tally

import (
	"bytes"
	"slices"

	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Charges collects what an answer states in addition to its token counts and what the call is charged for: the service
// tier, and what the tools did that the provider ran.
//
// Providers state the calls of tools in two ways: as items of the answer, and as counts. The counts apply. If there is
// no count, for example because a stream broke off, the completed items are counted. docs/pricing.md has the rules of
// each provider.
//
// The caller finds these members, see output.Report.Add and output.ScanAnswer. The zero value is ready to use; it
// is not safe for concurrent use.
type Charges struct {
	tier       string // as usage.ServiceTierOf returns it
	hasTier    bool   // the answer names a tier, which may be the ordinary one
	seenChunks int    // chunks at the beginning of a chat stream that were read, at most maxFirstChunks

	counts usage.Tools // as the provider counts them
	items  usage.Tools // as the items show them

	containers [][]byte // ids of the containers that code ran in
	executed   int      // greatest index of an executed tool of Groq that was counted, plus 1
}

// ChargesOf returns the charges of an answer that states these details.
func ChargesOf(details usage.Details) Charges {
	return Charges{tier: details.ServiceTier, hasTier: true, counts: details.Tools}
}

// AddTo returns the usage with the charges added. The usage may be one that the provider reports, or an estimate.
func (c *Charges) AddTo(u usage.Usage) usage.Usage {
	if c.hasTier {
		u.ServiceTier = c.tier
	}
	u.Tools = withItems(maxCalls(u.Tools, c.counts), c.items)
	return u
}

// maxFirstChunks is the number of chunks at the beginning of a chat stream in which Charges looks for the tier and the
// model. The first chunk of some servers has neither.
const maxFirstChunks = 4

var (
	tierTail   = []byte(`ervice_tier"`)
	citation   = []byte(`"url_citation"`)
	executed   = []byte(`"executed_tools"`)
	searchPart = []byte(`-search-`)
	sonarPart  = []byte(`sonar`)
	callTail   = []byte(`_call"`)
)

// ReadChunk reads a chunk of a chat stream. OpenAI repeats the tier in each chunk, but almost no chunk is scanned. So
// the tier is read from the first chunk that has it, and from the last one, which is scanned for its usage. plain says
// that the chunk has a piece of text and nothing else.
//
//nolint:revive // plain is a fact about the chunk, not a mode
func (c *Charges) ReadChunk(data, tier []byte, plain bool) {
	c.SetTier(tier)
	if c.seenChunks < maxFirstChunks {
		c.seenChunks++
		if !c.hasTier && bytes.Contains(data, tierTail) || bytes.Contains(data, searchPart) ||
			bytes.Contains(data, sonarPart) {
			c.readTierAndModel(data)
		}
	}
	if !plain && (c.items.WebSearchCalls == 0 && (bytes.Contains(data, citation) || showsSearch(data)) ||
		bytes.Contains(data, executed)) {
		eachMemberOf(data, func(key, value []byte) {
			if string(key) == "choices" {
				c.ReadChoices(value)
			} else {
				c.ReadSearchResults(key, value)
			}
		})
	}
}

// ReadChoices counts what the choices of a chat completion, or of a chunk, show of the tools that the provider ran: one
// search of the web if a text cites a page, and the executed tools of Groq. Other places can have the same words: they
// can be the text itself, or the name of a function.
func (c *Charges) ReadChoices(choices []byte) {
	cites, ran := c.items.WebSearchCalls == 0 && bytes.Contains(choices, citation), bytes.Contains(choices, executed)
	if !cites && !ran {
		return
	}
	rawjson.EachElement(choices, rawjson.Span{End: len(choices)}, func(choice rawjson.Span) bool {
		eachMemberOf(choice.Of(choices), func(key, value []byte) {
			if string(key) == "message" || string(key) == "delta" {
				eachMemberOf(value, func(key, value []byte) {
					switch {
					case cites && string(key) == "annotations" && citesPage(value):
						c.items.WebSearchCalls = max(c.items.WebSearchCalls, 1)
					case ran && string(key) == "executed_tools":
						c.addExecuted(value)
					}
				})
			}
		})
		return true
	})
}

// addExecuted counts the tools that Groq ran: each search, and one session for all of the code. A stream repeats a
// tool, with the same index, when its output is there. Groq charges for code by the hour.
func (c *Charges) addExecuted(tools []byte) {
	rawjson.EachElement(tools, rawjson.Span{End: len(tools)}, func(tool rawjson.Span) bool {
		index, searches, runs := int64(c.executed), false, false
		eachMemberOf(tool.Of(tools), func(key, value []byte) {
			switch string(key) {
			case "index":
				index = plausible(value, maxToolCalls)
			case "type", "name": // search or browser.search; python or code_interpreter
				name := rawjson.Text(value)
				searches = searches || bytes.Contains(name, []byte("search"))
				runs = runs || bytes.HasPrefix(name, []byte("python")) || bytes.HasPrefix(name, []byte("code"))
			}
		})
		if runs {
			c.items.CodeInterpreterSessions = max(c.items.CodeInterpreterSessions, 1)
		}
		if index < int64(c.executed) || c.executed >= maxToolCalls {
			return true
		}
		c.executed = int(index) + 1
		if searches {
			c.items.WebSearchCalls++
		}
		return true
	})
}

// citesPage reports whether one of the annotations is the citation of a page.
func citesPage(annotations []byte) (cites bool) {
	rawjson.EachElement(annotations, rawjson.Span{End: len(annotations)}, func(annotation rawjson.Span) bool {
		cites = string(textIn(annotations, annotation, "type")) == "url_citation"
		return !cites
	})
	return cites
}

// readTierAndModel reads the tier and the model of a chunk.
func (c *Charges) readTierAndModel(data []byte) {
	s := rawjson.Scanner{Body: data}
	_, _ = s.Object(func(key []byte, value rawjson.Span) error { // members before a syntax error are used
		switch string(key) {
		case "service_tier":
			c.SetTier(value.Of(data))
		case "model":
			c.SetModel(value.Of(data))
		}
		return nil
	})
}

// SetTier reads the service tier from a JSON string. It ignores anything else.
func (c *Charges) SetTier(raw []byte) {
	if name := rawjson.Text(raw); len(name) > 0 {
		c.tier, c.hasTier = usage.ServiceTierOf(string(name)), true
	}
}

// SetModel counts one search of the web if the model always searches.
func (c *Charges) SetModel(raw []byte) {
	if charge.SearchesAlways(string(rawjson.Text(raw))) {
		c.items.WebSearchCalls = max(c.items.WebSearchCalls, 1)
	}
}

// searchMembers are members of a chat completion, or of a chunk, with the results of one search of the web: of
// Perplexity and Baidu, of Zhipu, and of Alibaba Cloud. These servers count no searches.
var searchMembers = [...]string{"search_results", "web_search", "search_info"}

// showsSearch reports whether the data may have one of searchMembers.
func showsSearch(data []byte) bool {
	for _, tail := range searchTails {
		if bytes.Contains(data, tail) {
			return true
		}
	}
	return false
}

// searchTails are the ends of searchMembers. A search is faster if the first byte is rare.
var searchTails = [...][]byte{[]byte(`_results"`), []byte(`_search"`), []byte(`_info"`)}

// ReadSearchResults counts one search of the web if the member of a chat completion, or of a chunk, has the results of
// one. It ignores other members, and those without results.
func (c *Charges) ReadSearchResults(key, value []byte) {
	for _, name := range searchMembers {
		if string(key) == name && (value[0] == '[' || value[0] == '{') &&
			len(bytes.TrimSpace(value[1:len(value)-1])) > 0 {
			c.items.WebSearchCalls = max(c.items.WebSearchCalls, 1)
		}
	}
}

// SetCounts reads the counts of a tool_usage object, see readToolUsage. They are the totals so far.
func (c *Charges) SetCounts(raw []byte) { c.counts = maxCalls(c.counts, readToolUsage(raw)) }

// AddItems counts the items of an output array. A stream can repeat in it what its events sent before.
func (c *Charges) AddItems(data []byte, output rawjson.Span) {
	if !bytes.Contains(output.Of(data), callTail) {
		return
	}
	var sum Charges
	rawjson.EachElement(data, output, func(item rawjson.Span) bool {
		sum.AddItem(data, item)
		return true
	})
	c.items = maxCalls(c.items, sum.items)
}

// item holds the fields of an output item that decide whether it is charged.
type item struct {
	kind, status, action, container []byte
}

// AddItem counts one output item:
//
//	web_search_call        one call, unless it only opened a page or searched in one
//	file_search_call       one call
//	code_interpreter_call  one session for each container
//	shell_call             the same, if it ran in a container of the provider
//
// A search counts when it is completed, a session when its container exists.
func (c *Charges) AddItem(data []byte, at rawjson.Span) {
	if !bytes.Contains(at.Of(data), callTail) {
		return
	}
	i := itemOf(data, at)
	isComplete := len(i.status) == 0 || string(i.status) == "completed"
	switch string(i.kind) {
	case "web_search_call":
		if isComplete && (len(i.action) == 0 || string(i.action) == "search") {
			c.items.WebSearchCalls++
		}
	case "file_search_call":
		if isComplete {
			c.items.FileSearchCalls++
		}
	case "code_interpreter_call", "shell_call":
		c.addContainer(i.container)
	}
}

// AddContainer counts one session for the container of a message of Anthropic's API, in which the provider ran code. It
// ignores anything else.
func (c *Charges) AddContainer(raw []byte) {
	if len(raw) > 0 && raw[0] == '{' {
		c.addContainer(textIn(raw, rawjson.Span{End: len(raw)}, "id"))
	}
}

// addContainer counts one session for each container.
func (c *Charges) addContainer(id []byte) {
	isKnown := slices.ContainsFunc(c.containers, func(member []byte) bool { return bytes.Equal(id, member) })
	if len(id) == 0 || isKnown || len(c.containers) == maxToolCalls {
		return
	}
	c.containers = append(c.containers, bytes.Clone(id))
	c.items.CodeInterpreterSessions++
}

// itemOf reads the fields of an output item. It returns no fields of a malformed one.
func itemOf(data []byte, at rawjson.Span) (i item) {
	s := rawjson.Scanner{Body: data[:at.End], At: at.Start}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		switch string(key) {
		case "type":
			i.kind = rawjson.Text(value.Of(data))
		case "status":
			i.status = rawjson.Text(value.Of(data))
		case "action":
			i.action = textIn(data, value, "type")
		case "container_id":
			i.container = rawjson.Text(value.Of(data))
		case "environment":
			i.container = textIn(data, value, "container_id")
		}
		return nil
	})
	if err != nil {
		return item{}
	}
	return i
}

// textIn returns the text of a member of the object at a span of data, or nil if there is none.
func textIn(data []byte, at rawjson.Span, name string) (text []byte) {
	s := rawjson.Scanner{Body: data[:at.End], At: at.Start}
	_, _ = s.Object(func(key []byte, value rawjson.Span) error { // it is no object: nothing to read
		if string(key) == name {
			text = rawjson.Text(value.Of(data))
		}
		return nil
	})
	return text
}

// Bounds of what a provider can state. A larger number is not plausible, and is ignored.
const (
	maxTokens    = 1 << 40
	maxToolCalls = 10_000
)

// readToolUsage reads OpenAI's object tool_usage:
//
//	{"web_search": {"num_requests": 1},
//	 "image_gen": {"input_tokens": 60, "input_tokens_details": {"text_tokens": 10, "image_tokens": 50}, "output_tokens": 272}}
//
// The gateway writes the calls of other tools into the same object (AppendTools): file_search and code_interpreter.
// Anything that is malformed counts as 0.
func readToolUsage(raw []byte) (t usage.Tools) {
	eachMemberOf(raw, func(key, value []byte) {
		switch string(key) {
		case "web_search":
			t.WebSearchCalls = callsIn(value, "num_requests")
		case "file_search":
			t.FileSearchCalls = callsIn(value, "num_requests")
		case "code_interpreter":
			t.CodeInterpreterSessions = callsIn(value, "num_sessions")
		case "image_gen":
			readImageTokens(value, &t)
		}
	})
	return t
}

// readImageTokens reads the tokens of the tool that generates images. It counts tokens of the input as text unless they
// are tokens of images.
func readImageTokens(raw []byte, t *usage.Tools) {
	var in, text, image int64
	eachMemberOf(raw, func(key, value []byte) {
		switch string(key) {
		case "input_tokens":
			in = plausible(value, maxTokens)
		case "output_tokens":
			t.ImageGenerationOutput = plausible(value, maxTokens)
		case "input_tokens_details":
			eachMemberOf(value, func(key, value []byte) {
				switch string(key) {
				case "text_tokens":
					text = plausible(value, maxTokens)
				case "image_tokens":
					image = plausible(value, maxTokens)
				}
			})
		}
	})
	if in == 0 {
		in = text + image
	}
	t.ImageGenerationImageInput, t.ImageGenerationInput = takePart(image, in)
}

// callsIn returns the sum of the counts with the names in an object.
func callsIn(raw []byte, names ...string) (calls int64) {
	eachMemberOf(raw, func(key, value []byte) {
		if slices.Contains(names, string(key)) {
			calls += plausible(value, maxToolCalls)
		}
	})
	return calls
}

// eachMemberOf calls the function visit for each member of an object, and for none if raw is not an object.
func eachMemberOf(raw []byte, visit func(key, value []byte)) {
	if !rawjson.IsObject(raw) {
		return
	}
	s := rawjson.Scanner{Body: raw}
	_, _ = s.Object(func(key []byte, value rawjson.Span) error { // members before a syntax error are used
		visit(key, value.Of(raw))
		return nil
	})
}

// plausible reads a count. It returns 0 for a value that is not a number from 0 to limit.
func plausible(raw []byte, limit int64) int64 {
	var n int64
	if readTokens(raw, &n) != nil || n < 0 || n > limit {
		return 0
	}
	return n
}

// maxCalls returns the larger count of each kind.
func maxCalls(a, b usage.Tools) usage.Tools {
	return usage.Tools{
		WebSearchCalls:            max(a.WebSearchCalls, b.WebSearchCalls),
		FileSearchCalls:           max(a.FileSearchCalls, b.FileSearchCalls),
		CodeInterpreterSessions:   max(a.CodeInterpreterSessions, b.CodeInterpreterSessions),
		ImageGenerationInput:      max(a.ImageGenerationInput, b.ImageGenerationInput),
		ImageGenerationImageInput: max(a.ImageGenerationImageInput, b.ImageGenerationImageInput),
		ImageGenerationOutput:     max(a.ImageGenerationOutput, b.ImageGenerationOutput),
	}
}

// withItems returns the counts of calls in t, and those of items where t has none.
func withItems(t, items usage.Tools) usage.Tools {
	for _, count := range [...]struct{ calls, itemCalls *int64 }{
		{&t.WebSearchCalls, &items.WebSearchCalls}, {&t.FileSearchCalls, &items.FileSearchCalls},
		{&t.CodeInterpreterSessions, &items.CodeInterpreterSessions},
	} {
		if *count.calls == 0 {
			*count.calls = *count.itemCalls
		}
	}
	return t
}
