package echo

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
)

// answer generates a chat completion piece by piece, so that a long one needs little memory. All choices have the same
// content. A token is a word.
type answer struct {
	*openai.Request
	prefix  string // beginning of every JSON object, up to the choices
	content string // text of each choice, never empty
	finish  string // finish_reason of each choice, as JSON
	usage   string // usage object
}

// message holds the fields of a message that the answer depends on.
type message struct {
	Role    string         `json:"role"`
	Content jsontext.Value `json:"content"`
}

// newAnswer returns the answer to a valid request. hash makes its id, so that the same request gets the same id.
func newAnswer(r *openai.Request, messages []message, hash uint64, now time.Time) *answer {
	var prompt int64
	content := ""
	for _, m := range messages {
		text := textOf(m.Content)
		prompt += words(text)
		if m.Role == "user" {
			content = text
		}
	}
	if words(content) == 0 {
		content = "ok"
	}
	count, finish, object := words(content), "stop", "chat.completion"
	if r.OutputCap > 0 && r.OutputCap < count {
		content, count, finish = firstWords(content, r.OutputCap), r.OutputCap, "length"
	}
	if r.Stream {
		object += ".chunk"
	}
	return &answer{
		Request: r, content: content, finish: `"` + finish + `"`,
		// The prompt counts once, the completion once for each choice, as OpenAI does.
		usage: string(tally.AppendChat(nil, usage.Usage{Input: prompt, Output: count * r.Choices})),
		prefix: fmt.Sprintf(`{"id":"chatcmpl-%016x","object":"%s","created":%d,"model":%s,"service_tier":"default",`+
			`"system_fingerprint":"fp_echo000001","choices":[`, hash, object, now.Unix(), quote(r.Model)),
	}
}

// pieces yields the answer: the events of a stream, or the parts of a JSON object. A piece is valid until the next one.
func (a *answer) pieces(yield func([]byte) bool) {
	if a.Stream {
		a.events(yield)
		return
	}
	choice := `"message":{"role":"assistant","content":` + quote(a.content) + `,"refusal":null,"annotations":[]},` +
		`"logprobs":null,"finish_reason":` + a.finish + "}"
	piece := fmt.Appendf(nil, `%s{"index":0,%s`, a.prefix, choice)
	for i := int64(1); i < a.Choices; i++ {
		if !yield(piece) {
			return
		}
		piece = fmt.Appendf(piece[:0], `,{"index":%d,%s`, i, choice)
	}
	yield(fmt.Appendf(piece, "],\"usage\":%s}\n", a.usage))
}

// events yields the events of a stream. Choices take turns: each word is sent for all of them before the next word.
func (a *answer) events(yield func([]byte) bool) {
	var event []byte
	begin, end := "data: "+a.prefix, "}\n\n"
	if a.IncludeUsage {
		end = `,"usage":null` + end
	}
	send := func(delta, finish string) bool {
		tail := `,"delta":` + delta + `,"logprobs":null,"finish_reason":` + finish + "}]" + end
		for i := range a.Choices {
			event = append(append(event[:0], begin...), `{"index":`...)
			event = append(strconv.AppendInt(event, i, 10), tail...)
			if !yield(event) {
				return false
			}
		}
		return true
	}
	ok := send(`{"role":"assistant","content":"","refusal":null}`, "null")
	for word, tail := cutWord(a.content); ok && word != ""; word, tail = cutWord(tail) {
		ok = send(`{"content":`+quote(word)+"}", "null")
	}
	if !ok || !send("{}", a.finish) {
		return
	}
	if !a.IncludeUsage || yield([]byte(begin+`],"usage":`+a.usage+"}\n\n")) {
		yield([]byte("data: [DONE]\n\n"))
	}
}

// quote returns text as a JSON string. The text is UTF-8, because the request was.
func quote(text string) string {
	quoted, _ := jsontext.AppendQuote(nil, text)
	return string(quoted)
}

// words returns the number of words, which are separated by blanks.
func words(text string) (n int64) {
	for range strings.FieldsSeq(text) {
		n++
	}
	return n
}

// cutWord splits text after its first word. Blanks before a word belong to it, and blanks after the last word belong to
// the last word, so that the pieces add up to the text.
func cutWord(text string) (word, tail string) {
	tail = strings.TrimLeftFunc(text, unicode.IsSpace)
	if end := strings.IndexFunc(tail, unicode.IsSpace); end >= 0 && strings.TrimSpace(tail[end:]) != "" {
		return text[:len(text)-len(tail)+end], tail[end:]
	}
	return text, ""
}

// firstWords returns the beginning of text with n words.
func firstWords(text string, n int64) string {
	tail := text
	for range n {
		_, tail = cutWord(tail)
	}
	return text[:len(text)-len(tail)]
}
