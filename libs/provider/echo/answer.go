package echo

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// fingerprint is the system_fingerprint of all answers.
const fingerprint = "fp_echo000001"

// answer generates a chat completion piece by piece, so that a long one needs little memory. All choices have the same
// content.
type answer struct {
	*validRequest
	prefix  string // beginning of every JSON object, up to the choices
	words   int64  // words of each choice
	finish  string // finish_reason of each choice
	content string // content of each choice
	rest    string // part of content that is not streamed yet
	stage   stage
	choice  int64  // index of the next choice in this stage
	delta   []byte // delta with the present word, which is the same for all choices
}

// stage is the kind of the next piece.
type stage uint8

const (
	opening  stage = iota // stream: chunks with the role; else: beginning of the JSON object
	saying                // stream: chunks with the next word, one for each choice; else: one complete choice
	closing               // stream: chunks with the finish reason; else: end of the JSON object
	counting              // stream: chunk with the usage, if the client asked for it
	ending                // stream: [DONE]
)

// newAnswer returns the answer to a request. hash makes its id, so that the same request gets the same id.
func newAnswer(a *validRequest, hash uint64, now time.Time) *answer {
	object := "chat.completion"
	if a.stream {
		object += ".chunk"
	}
	content, finish := a.text, "stop"
	count := words(content)
	if a.limit > 0 && a.limit < count {
		content, finish, count = firstWords(content, a.limit), "length", a.limit
	}
	return &answer{
		validRequest: a, words: count, finish: finish, content: content, rest: content,
		prefix: fmt.Sprintf(
			`{"id":"chatcmpl-%016x","object":"%s","created":%d,"model":%s,"service_tier":"default","system_fingerprint":"%s"`,
			hash, object, now.Unix(), quote(nil, a.model), fingerprint),
	}
}

// next appends the next piece to dst, an event of the stream or a part of the JSON object, and reports whether more
// pieces follow.
func (a *answer) next(dst []byte) ([]byte, bool) {
	if a.stream {
		return a.nextEvent(dst)
	}
	return a.nextPart(dst)
}

// nextPart appends the next part of a JSON answer: the beginning, one complete choice, or the end.
func (a *answer) nextPart(dst []byte) ([]byte, bool) {
	switch a.stage {
	case opening:
		a.stage = saying
		dst = append(dst, a.prefix...)
		return append(dst, `,"choices":[`...), true
	case saying:
		if a.choice > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"index":`...)
		dst = strconv.AppendInt(dst, a.choice, 10)
		dst = append(dst, `,"message":{"role":"assistant","content":`...)
		dst = quote(dst, a.content)
		dst = append(dst, `,"refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"`...)
		dst = append(append(dst, a.finish...), `"}`...)
		a.turn(closing)
		return dst, true
	}
	dst = append(dst, `],"usage":`...)
	return append(a.appendUsage(dst), "}\n"...), false
}

// nextEvent appends the next event of a stream. Choices take turns: each word is sent for all of them before the next
// word.
func (a *answer) nextEvent(dst []byte) ([]byte, bool) {
	switch a.stage {
	case opening:
		dst = append(a.openChunk(dst), `{"role":"assistant","content":"","refusal":null}`...)
		dst = a.endChunk(dst, "null")
		a.turn(saying)
	case saying:
		if a.choice == 0 {
			var word string
			word, a.rest = cutWord(a.rest)
			a.delta = quote(append(a.delta[:0], `{"content":`...), word)
		}
		dst = append(a.openChunk(dst), a.delta...)
		dst = a.endChunk(append(dst, '}'), "null")
		if a.rest == "" {
			a.turn(closing)
		} else {
			a.turn(saying)
		}
	case closing:
		dst = a.endChunk(append(a.openChunk(dst), "{}"...), `"`+a.finish+`"`)
		a.turn(counting)
	case counting:
		a.stage = ending
		if a.usage {
			dst = append(append(dst, "data: "...), a.prefix...)
			dst = append(dst, `,"choices":[],"usage":`...)
			dst = append(a.appendUsage(dst), "}\n\n"...)
		}
	default:
		return append(dst, "data: [DONE]\n\n"...), false
	}
	return dst, true
}

// turn moves on to the next choice, and after the last choice to another stage.
func (a *answer) turn(to stage) {
	if a.choice++; a.choice == a.n {
		a.choice, a.stage = 0, to
	}
}

// openChunk appends the beginning of a chunk, up to the delta of its choice. endChunk appends everything after the
// delta.
func (a *answer) openChunk(dst []byte) []byte {
	dst = append(append(dst, "data: "...), a.prefix...)
	dst = append(dst, `,"choices":[{"index":`...)
	dst = strconv.AppendInt(dst, a.choice, 10)
	return append(dst, `,"delta":`...)
}

func (a *answer) endChunk(dst []byte, finish string) []byte {
	dst = append(append(dst, `,"logprobs":null,"finish_reason":`...), finish...)
	dst = append(dst, `}]`...)
	if a.usage {
		dst = append(dst, `,"usage":null`...)
	}
	return append(dst, "}\n\n"...)
}

// appendUsage appends the usage object. The prompt counts once, the completion once for each choice, as OpenAI does.
func (a *answer) appendUsage(dst []byte) []byte {
	completion := a.words * a.n
	return fmt.Appendf(dst, `{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,`+
		`"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},`+
		`"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}`,
		a.prompt, completion, a.prompt+completion)
}

// quote appends text as a JSON string.
func quote(dst []byte, text string) []byte {
	dst, err := jsontext.AppendQuote(dst, text)
	if err != nil { // not UTF-8, which the request's parser refuses
		dst = append(dst, `""`...)
	}
	return dst
}

// words returns the number of words, which are separated by blanks. A word is a token here.
func words(text string) (n int64) {
	for range strings.FieldsSeq(text) {
		n++
	}
	return n
}

// cutWord splits text after its first word. Blanks before a word belong to it, and blanks after the last word belong to
// the last word, so that the pieces add up to the text.
func cutWord(text string) (word, rest string) {
	start := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsSpace(r) })
	if start < 0 {
		return text, ""
	}
	length := strings.IndexFunc(text[start:], unicode.IsSpace)
	if length < 0 || strings.TrimSpace(text[start+length:]) == "" {
		return text, ""
	}
	return text[:start+length], text[start+length:]
}

// firstWords returns the beginning of text with n words.
func firstWords(text string, n int64) string {
	rest := text
	for range n {
		_, rest = cutWord(rest)
	}
	return text[:len(text)-len(rest)]
}
