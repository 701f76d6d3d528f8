package meter

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tiktoken-go/tokenizer"
)

const (
	sampleBytes   = 16 << 10 // most that is kept of a request
	tokenizeBytes = 64 << 10 // most that is tokenised of an answer
	pieceBytes    = 512      // most that is tokenised at a time
	bytesPerToken = 4        // where there is nothing to count

	// OpenAI's chat format puts 3 tokens and the role around each message, and
	// 3 before the answer.
	messageTokens = 4
	answerTokens  = 3
	// mediaTokens is what an image, a sound or a file is taken for, whatever
	// its size: what OpenAI counts for an image of 1024 x 1024 pixels.
	mediaTokens = 765
)

// Sample is the beginning of a request body, enough for EstimateInput. The
// zero Sample is that of an empty body.
type Sample struct {
	head  []byte
	total int64
}

// SampleOf copies at most 16 KiB of body, which is free to go afterwards.
func SampleOf(body []byte) Sample {
	s := SampleIn(body)
	s.head = bytes.Clone(s.head)
	return s
}

// SampleIn is SampleOf without the copy, for a body that stays unchanged as
// long as the Sample is used.
func SampleIn(body []byte) Sample {
	return Sample{head: body[:min(len(body), sampleBytes)], total: int64(len(body))}
}

// EstimateInput counts the tokens of a chat or responses request: of its
// texts, and constants for each message and each image, sound or file. What
// lies beyond the sample is taken to be like the sample, unless the sample
// ends within an image, sound or file: then the rest is taken to be that.
func EstimateInput(model string, s Sample) int64 {
	r := newRequestReader(s.head)
	complete := r.read() == nil
	var tokens int64
	for _, text := range r.texts {
		tokens += count(model, text)
	}
	tokens += r.messages*messageTokens + r.media*mediaTokens
	rest := s.total - int64(len(s.head))
	switch {
	case complete || rest == 0 || r.inMedia:
	case tokens == 0:
		tokens = s.total / bytesPerToken
	default:
		tokens = extrapolate(tokens, int64(len(s.head)), rest)
	}
	return tokens + answerTokens
}

// EstimateOutput counts the tokens of generated text. extraBytes is how much
// more text there was; it is taken to be like the text that is given.
func EstimateOutput(model string, text []byte, extraBytes int64) int64 {
	const most = 1 << 40 // keeps the products below in range
	counted := text[:min(len(text), tokenizeBytes)]
	rest := min(max(extraBytes, 0), most) + int64(len(text)-len(counted))
	if len(counted) == 0 {
		return (rest + bytesPerToken - 1) / bytesPerToken
	}
	return extrapolate(count(model, string(counted)), int64(len(counted)), rest)
}

// extrapolate returns the tokens of counted and rest bytes where the counted
// ones have so many tokens.
func extrapolate(tokens, counted, rest int64) int64 {
	return tokens + (tokens*rest+counted-1)/counted
}

// The vocabularies take some 60 ms and 6 MB, and most relays never need one.
var (
	o200k  = sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(tokenizer.O200kBase) })
	cl100k = sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(tokenizer.Cl100kBase) })
)

func count(model, text string) int64 {
	vocabulary := o200k
	if isOlder(model) {
		vocabulary = cl100k
	}
	codec, err := vocabulary()
	if err != nil {
		return int64(len(text)+bytesPerToken-1) / bytesPerToken
	}
	var tokens int64
	for len(text) > 0 {
		var piece string
		piece, text = cutPiece(text)
		n, err := codec.Count(piece)
		if err != nil {
			n = len(piece) / bytesPerToken
		}
		tokens += int64(n)
	}
	return tokens
}

// cutPiece cuts off what is tokenised at a time. The tokenizer's expression
// takes time with the square of a run of blanks: 64 KiB of them in one piece
// would take seconds. Before a blank a cut changes no count.
func cutPiece(text string) (piece, rest string) {
	if len(text) <= pieceBytes {
		return text, ""
	}
	cut := strings.LastIndexByte(text[:pieceBytes], ' ')
	if cut <= 0 {
		for cut = pieceBytes; cut > pieceBytes-utf8.UTFMax && !utf8.RuneStart(text[cut]); {
			cut--
		}
	}
	return text[:cut], text[cut:]
}

// isOlder reports whether the model has the vocabulary from before gpt-4o.
// Models of other makers have neither; the newer one is the better guess.
func isOlder(model string) bool {
	model = strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	model = strings.TrimPrefix(model, "ft:")
	for _, newer := range [...]string{"gpt-4o", "gpt-4.1", "gpt-4.5"} {
		if strings.HasPrefix(model, newer) {
			return false
		}
	}
	for _, older := range [...]string{"gpt-4", "gpt-3.5", "gpt-35", "text-embedding-", "davinci-002", "babbage-002"} {
		if strings.HasPrefix(model, older) {
			return true
		}
	}
	return false
}

// requestReader gathers what is counted of a request that may be cut anywhere.
type requestReader struct {
	json     *jsontext.Decoder
	head     []byte
	texts    []string
	messages int64
	media    int64
	inMedia  bool // the head ends within an image, sound or file
}

func newRequestReader(head []byte) *requestReader {
	return &requestReader{head: head, json: jsontext.NewDecoder(bytes.NewBuffer(head),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

// read returns an error where the head ends before the request does.
func (r *requestReader) read() error {
	return r.object(func(name string) error {
		switch name {
		case "messages", "input":
			return r.conversation()
		case "instructions", "prompt":
			return r.content()
		case "tools", "functions", "response_format", "text":
			return r.schema()
		}
		return r.json.SkipValue()
	})
}

func (r *requestReader) object(member func(name string) error) error {
	if r.json.PeekKind() != '{' {
		return r.json.SkipValue()
	}
	_, err := r.json.ReadToken()
	for err == nil && r.json.PeekKind() != '}' {
		var name jsontext.Token
		if name, err = r.json.ReadToken(); err == nil {
			err = member(name.String())
		}
	}
	if err == nil {
		_, err = r.json.ReadToken()
	}
	return err
}

func (r *requestReader) array(element func() error) error {
	_, err := r.json.ReadToken()
	for err == nil && r.json.PeekKind() != ']' {
		err = element()
	}
	if err == nil {
		_, err = r.json.ReadToken()
	}
	return err
}

// conversation reads messages, or a text that stands for one.
func (r *requestReader) conversation() error {
	if r.json.PeekKind() != '[' {
		r.messages++
		return r.content()
	}
	return r.array(func() error {
		r.messages++
		return r.content()
	})
}

// content reads a text, or the texts within a message or its parts.
func (r *requestReader) content() error {
	switch r.json.PeekKind() {
	case '"':
		return r.text()
	case '[':
		return r.array(r.content)
	case '{':
		return r.object(r.member)
	}
	return r.json.SkipValue()
}

func (r *requestReader) member(name string) error {
	switch name {
	case "content", "text", "arguments", "name", "refusal", "output", "input", "summary", "reasoning_content":
		return r.content()
	case "image_url", "input_audio", "audio", "file", "file_data", "image", "video_url":
		return r.skipMedia()
	}
	if kind := r.json.PeekKind(); kind == '{' || kind == '[' {
		return r.content()
	}
	return r.json.SkipValue()
}

func (r *requestReader) skipMedia() error {
	if r.json.PeekKind() != 'n' {
		r.media++
	}
	err := r.json.SkipValue()
	r.inMedia = err != nil
	return err
}

// schema reads a description of tools or formats, of which every name and
// text is shown to the model.
func (r *requestReader) schema() error {
	switch r.json.PeekKind() {
	case '"':
		return r.text()
	case '[':
		return r.array(r.schema)
	case '{':
		return r.object(func(name string) error {
			r.texts = append(r.texts, name)
			return r.schema()
		})
	}
	return r.json.SkipValue()
}

func (r *requestReader) text() error {
	at := r.json.InputOffset()
	token, err := r.json.ReadToken()
	if err != nil {
		r.cutText(r.head[at:])
		return err
	}
	r.texts = append(r.texts, token.String())
	return nil
}

// cutText takes what there is of a string that the head's end cuts.
func (r *requestReader) cutText(rest []byte) {
	_, quoted, ok := bytes.Cut(rest, []byte{'"'})
	if !ok {
		return
	}
	if escape := bytes.LastIndexByte(quoted, '\\'); escape >= 0 && len(quoted)-escape < len(`\u0000`) {
		quoted = quoted[:escape]
	}
	text, err := jsontext.AppendUnquote(nil, `"`+string(quoted)+`"`)
	if err != nil && len(text) == 0 {
		text = quoted
	}
	r.texts = append(r.texts, string(text))
}
