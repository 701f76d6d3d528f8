package output

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// ChunkTemplate is what all chunks of one stream have in common, as its
// upstream spelled it. It is used to end a stream that its upstream does not
// end.
type ChunkTemplate struct {
	head []byte // an object's beginning, up to where the choices come
}

// envelopeKeys come in OpenAI's order.
var envelopeKeys = [...]string{"id", "object", "created", "model", "service_tier", "system_fingerprint"}

// ChunkTemplateOf reads the template from a chunk. It keeps nothing of data.
func ChunkTemplateOf(data []byte) ChunkTemplate {
	var values [len(envelopeKeys)][]byte
	s := rawjson.Scanner{Body: data}
	_, _ = s.Object(func(key []byte, value rawjson.Span) error { // what stands before a fault is good
		for i, name := range envelopeKeys {
			if raw := value.Of(data); string(key) == name && raw[0] != '{' && raw[0] != '[' {
				values[i] = raw
			}
		}
		return nil
	})
	head := []byte{'{'}
	for i, name := range envelopeKeys {
		if values[i] == nil {
			continue
		}
		head = append(append(append(head, '"'), name...), `":`...)
		head = append(append(head, values[i]...), ',')
	}
	return ChunkTemplate{head}
}

// FinishChunk returns the data of the chunk that ends a choice with the reason
// "length".
func (e ChunkTemplate) FinishChunk(choice int64) []byte {
	data := append(bytes.Clone(e.head), `"choices":[{"index":`...)
	data = strconv.AppendInt(data, choice, 10)
	return append(data, `,"delta":{},"logprobs":null,"finish_reason":"length"}]}`...)
}

// UsageChunk returns the data of the chunk that carries u, and the quota in USD
// unless it is "".
func (e ChunkTemplate) UsageChunk(u usage.Usage, quota string) []byte {
	data := AppendUsage(append(bytes.Clone(e.head), `"choices":[],"usage":`...), u)
	if quota != "" {
		data = data[:len(data)-1] // the brace that closes the object
		data = append(append(append(data, `,"quota":"`...), quota...), `"}`...)
	}
	return append(data, '}')
}

// AppendUsage appends the usage object of a chat completion. ParseUsage reads
// it as u again.
func AppendUsage(data []byte, u usage.Usage) []byte {
	in, out := u.InputTotal(), u.OutputTotal()
	data = appendCounts(append(data, '{'), []count{{"prompt_tokens", in}, {"completion_tokens", out}, {"total_tokens", in + out}})
	data = append(data, `,"prompt_tokens_details":{`...)
	data = appendCounts(data, []count{{"cached_tokens", u.CachedInput}, {"cache_write_tokens", u.CacheWrite}, {"audio_tokens", u.AudioInput}})
	data = append(data, `},"completion_tokens_details":{`...)
	data = appendCounts(data, []count{{"reasoning_tokens", u.Reasoning}, {"audio_tokens", u.AudioOutput}})
	return append(data, "}}"...)
}

type count struct {
	name string
	n    int64
}

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

// EachFinishedChoice calls choice with the index of every choice that the chunk
// ends.
func EachFinishedChoice(data []byte, choice func(index int64)) {
	var chunk struct {
		Choices []struct {
			Index  int64   `json:"index"`
			Reason *string `json:"finish_reason"`
		} `json:"choices"`
	}
	if json.Unmarshal(data, &chunk) != nil {
		return // of a chunk that is none, no choice is ended
	}
	for _, c := range chunk.Choices {
		if c.Reason != nil {
			choice(c.Index)
		}
	}
}

// CountText counts the generated strings of one or more chunks that are not
// empty, and their bytes.
func CountText(data []byte) (texts, size int64) {
	EachText(data, func(escaped []byte) {
		texts++
		size += unescapedSize(escaped)
	})
	return texts, size
}

// unescapedSize is the length of the text, near enough: what stands as \uXXXX
// has 1 to 3 bytes, and is taken to have 3.
func unescapedSize(escaped []byte) int64 {
	size := int64(len(escaped))
	for rest := escaped; ; {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 || i+1 >= len(rest) {
			return size
		}
		size--
		if rest[i+1] == 'u' {
			size -= 2
		}
		rest = rest[i+2:]
	}
}
