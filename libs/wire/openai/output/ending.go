package output

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// ChunkTemplate holds the members that all chunks of one stream share, as the upstream spelled them. It is
// used to finish a stream that the gateway or the upstream cut off:
//
//	{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m",   the template
//	"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}                   FinishChunk
type ChunkTemplate struct {
	head []byte // the beginning of a chunk's object, up to its choices
}

// envelopeKeys are the members that all chunks of a stream share, in OpenAI's order.
var envelopeKeys = [...]string{"id", "object", "created", "model", "service_tier", "system_fingerprint"}

// ChunkTemplateOf reads the template from the data of a chunk. It copies the bytes that it needs.
func ChunkTemplateOf(data []byte) ChunkTemplate {
	var values [len(envelopeKeys)][]byte
	s := rawjson.Scanner{Body: data}
	_, _ = s.Object(func(key []byte, value rawjson.Span) error { // members before a syntax error are used
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

// FinishChunk returns the data of the chunk that ends a choice with the finish reason "length".
func (e ChunkTemplate) FinishChunk(choice int64) []byte {
	data := append(bytes.Clone(e.head), `"choices":[{"index":`...)
	data = strconv.AppendInt(data, choice, 10)
	return append(data, `,"delta":{},"logprobs":null,"finish_reason":"length"}]}`...)
}

// UsageChunk returns the data of the chunk that carries the usage u. The quota is in USD; "" omits it.
func (e ChunkTemplate) UsageChunk(u usage.Usage, quota string) []byte {
	data := tally.AppendChat(append(bytes.Clone(e.head), `"choices":[],"usage":`...), u)
	if quota != "" {
		data = data[:len(data)-1] // without the usage object's closing brace
		data = append(append(append(data, `,"quota":"`...), quota...), `"}`...)
	}
	return append(data, '}')
}

// EachFinishedChoice calls visit with the index of every choice that the chunk ends. It calls nothing for
// malformed data.
func EachFinishedChoice(data []byte, visit func(index int64)) {
	var chunk struct {
		Choices []struct {
			Index  int64   `json:"index"`
			Reason *string `json:"finish_reason"`
		} `json:"choices"`
	}
	if json.Unmarshal(data, &chunk) != nil {
		return
	}
	for _, c := range chunk.Choices {
		if c.Reason != nil {
			visit(c.Index)
		}
	}
}

// unescapedSize returns about how many bytes a JSON-escaped text has in UTF-8. It counts 3 bytes for each
// \uXXXX, which has 1 to 3.
func unescapedSize(escaped []byte) int64 {
	size := int64(len(escaped))
	for tail := escaped; ; {
		i := bytes.IndexByte(tail, '\\')
		if i < 0 || i+1 >= len(tail) {
			return size
		}
		size--
		if tail[i+1] == 'u' {
			size -= 2
		}
		tail = tail[i+2:]
	}
}
