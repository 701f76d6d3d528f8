package openai

import "strings"

// MarkConverted marks a chat request that the gateway made of a responses request, so that ClientPath returns paths
// into the responses request. ignored has the client's paths of the fields that the chat request lacks.
func (r *Request) MarkConverted(ignored []string) { r.isConverted, r.ignored = true, ignored }

// responsesNames are the names of fields of a chat request in a responses request.
var responsesNames = []struct{ chat, responses string }{
	{"response_format.json_schema", "text.format"}, {"response_format", "text.format"}, {"verbosity", "text.verbosity"},
	{"reasoning_effort", "reasoning.effort"}, {"max_completion_tokens", "max_output_tokens"},
}

// responsesPath returns the path in a responses request for a path into the chat request that was made of it. The
// messages stand for all items of the input.
func responsesPath(path string) string {
	if strings.HasPrefix(path, "messages") {
		return "input"
	}
	if strings.HasPrefix(path, "tools[") {
		return strings.NewReplacer(".function", "", ".custom", "").Replace(path)
	}
	for _, name := range responsesNames {
		if tail, ok := strings.CutPrefix(path, name.chat); ok && (tail == "" || tail[0] == '.') {
			return name.responses + tail
		}
	}
	return path
}
