package tally

import (
	"strconv"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// AppendChat appends the usage object of a chat completion. Parse reads the same u from it, except the service tier,
// which is outside of the usage object.
func AppendChat(data []byte, u usage.Usage) []byte {
	in, out := u.InputTotal(), u.OutputTotal()
	data = appendCounts(append(data, '{'), []count{{"prompt_tokens", in}, {"completion_tokens", out},
		{"total_tokens", in + out}})
	data = append(data, `,"prompt_tokens_details":{`...)
	data = appendCounts(data, counts(input, &u, ""))
	data = append(data, `},"completion_tokens_details":{`...)
	data = appendCounts(data, counts(output, &u, ""))
	data = append(data, '}')
	if u.Tools != (usage.Tools{}) {
		data = AppendTools(append(data, `,"tool_usage":`...), u.Tools)
	}
	return append(data, '}')
}

type count struct {
	name string
	n    int64
}

// appendCounts appends the counts as members, without a leading comma.
func appendCounts(data []byte, counts []count) []byte {
	for i, c := range counts {
		if i > 0 {
			data = append(data, ',')
		}
		data = append(append(append(data, '"'), c.name...), `":`...)
		data = strconv.AppendInt(data, c.n, 10)
	}
	return data
}

// audioTokens is the detail that OpenAI's responses do not have.
const audioTokens = "audio_tokens"

// counts returns the parts of the input or the output. Those that OpenAI does not always have, and the one
// with the name absent, are left out if they are 0.
func counts(s direction, u *usage.Usage, absent string) (counts []count) {
	for i := range Details {
		if d := &Details[i]; d.direction == s {
			if n := *d.count(u); n > 0 || d.Always && d.Name != absent {
				counts = append(counts, count{d.Name, n})
			}
		}
	}
	return counts
}

// AppendResponse appends the usage object of a response. The quota is in USD; "" omits it.
func AppendResponse(data []byte, u usage.Usage, quota string) []byte {
	in, out := u.InputTotal(), u.OutputTotal()
	data = appendCounts(append(data, '{'), []count{{"input_tokens", in}})
	data = append(data, `,"input_tokens_details":{`...)
	data = appendCounts(data, counts(input, &u, audioTokens))
	data = appendCounts(append(data, "},"...), []count{{"output_tokens", out}})
	data = append(data, `,"output_tokens_details":{`...)
	data = appendCounts(data, counts(output, &u, audioTokens))
	data = appendCounts(append(data, "},"...), []count{{"total_tokens", in + out}})
	if quota != "" {
		data = rawjson.AppendMember(data, "quota", rawjson.Quote(quota))
	}
	return append(data, '}')
}

// AppendTools appends the object tool_usage, see readToolUsage. It leaves out tools that did nothing.
func AppendTools(data []byte, t usage.Tools) []byte {
	data = append(data, '{')
	for _, tool := range [...]struct {
		name   string
		counts []count
	}{
		{"web_search", []count{{"num_requests", t.WebSearchCalls}}},
		{"file_search", []count{{"num_requests", t.FileSearchCalls}}},
		{"code_interpreter", []count{{"num_sessions", t.CodeInterpreterSessions}}},
	} {
		if tool.counts[0].n > 0 {
			data = appendCounts(rawjson.AppendMember(data, tool.name, []byte{'{'}), tool.counts)
			data = append(data, '}')
		}
	}
	if in := t.ImageGenerationInput + t.ImageGenerationImageInput; in+t.ImageGenerationOutput > 0 {
		data = appendCounts(rawjson.AppendMember(data, "image_gen", []byte{'{'}),
			[]count{{"input_tokens", in}, {"output_tokens", t.ImageGenerationOutput}})
		data = append(data, `,"input_tokens_details":{`...)
		data = appendCounts(data,
			[]count{{"text_tokens", t.ImageGenerationInput}, {"image_tokens", t.ImageGenerationImageInput}})
		data = append(data, "}}"...)
	}
	return append(data, '}')
}
