package tally

import (
	"strconv"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// AppendChat appends the usage object of a chat completion. Parse reads the same u from it, except the service tier,
// which has its place outside of the usage object.
func AppendChat(data []byte, u usage.Usage) []byte {
	in, out := u.InputTotal(), u.OutputTotal()
	data = appendCounts(append(data, '{'), []count{{"prompt_tokens", in}, {"completion_tokens", out}, {"total_tokens", in + out}})
	data = append(data, `,"prompt_tokens_details":{`...)
	data = appendCounts(data, inputDetails(&u))
	data = append(data, `},"completion_tokens_details":{`...)
	data = appendCounts(data, outputDetails(&u))
	data = append(data, '}')
	if u.Tools != (usage.Tools{}) {
		data = AppendTools(append(data, `,"tool_usage":`...), u.Tools)
	}
	return append(data, '}')
}

const (
	cacheWrite1h = "cache_write_1h_tokens" // a part of cache_write_tokens; OpenAI does not have it
	imageTokens  = "image_tokens"          // OpenAI has it for models that generate images
)

// inputDetails returns the parts of the input of both dialects. Counts that OpenAI does not always have are left out if they
// are 0.
func inputDetails(u *usage.Usage) []count {
	counts := []count{{"cached_tokens", u.CachedInput}, {"cache_write_tokens", u.CacheWrite}, {"audio_tokens", u.AudioInput}}
	if u.CacheWrite1h > 0 {
		counts = append(counts, count{cacheWrite1h, u.CacheWrite1h})
	}
	if u.ImageInput > 0 {
		counts = append(counts, count{imageTokens, u.ImageInput})
	}
	return counts
}

// outputDetails returns the parts of the output of both dialects.
func outputDetails(u *usage.Usage) []count {
	counts := []count{{"reasoning_tokens", u.Reasoning}, {"audio_tokens", u.AudioOutput}}
	if u.ImageOutput > 0 {
		counts = append(counts, count{imageTokens, u.ImageOutput})
	}
	return counts
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

// AppendResponse appends the usage object of a response. The quota is in USD; "" omits it.
func AppendResponse(data []byte, u usage.Usage, quota string) []byte {
	in, out := u.InputTotal(), u.OutputTotal()
	data = appendCounts(append(data, '{'), []count{{"input_tokens", in}})
	data = append(data, `,"input_tokens_details":{`...)
	data = appendCounts(data, inputDetails(&u))
	data = appendCounts(append(data, "},"...), []count{{"output_tokens", out}})
	data = append(data, `,"output_tokens_details":{`...)
	data = appendCounts(data, outputDetails(&u))
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
		data = appendCounts(rawjson.AppendMember(data, "image_gen", []byte{'{'}), []count{{"input_tokens", in}, {"output_tokens", t.ImageGenerationOutput}})
		data = append(data, `,"input_tokens_details":{`...)
		data = appendCounts(data, []count{{"text_tokens", t.ImageGenerationInput}, {"image_tokens", t.ImageGenerationImageInput}})
		data = append(data, "}}"...)
	}
	return append(data, '}')
}
