package meter

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/apps/relay/internal/meter/bpe"
	"github.com/tollgate/tollgate/libs/wire/openai/media"
)

const (
	sampleBytes   = 8 << 10  // upper bound of the bytes that are kept of a request
	enoughBytes   = 1 << 10  // text of a request that says what the rest is like
	tokenizeBytes = 64 << 10 // upper bound of the bytes of an answer that are tokenized
	bytesPerToken = 4        // assumption for text that is not tokenized

	// OpenAI's chat format adds 3 tokens and the role to each message, and 3 tokens before the answer.
	messageTokens = 4
	answerTokens  = 3
	// mediaTokens is the estimate for an image of any size, and for a sound or a file whose size is not known. It is
	// what OpenAI counts for an image of 1024 x 1024 pixels.
	mediaTokens = 765
	// Sounds and PDFs have so many characters of base64 for each token. A sound: 32 tokens a second at 96 kbit/s. A
	// PDF: 1,600 tokens for a page of 38 KB, besides mediaTokens.
	charsPerSound, charsPerPDF = 512, 32
)

// MediaTokens estimates the tokens of images, sounds and files: what is usual, and not a bound. The rate limits count
// them so, too.
func MediaTokens(p media.Parts) int64 {
	sounds := (p.SoundChars + charsPerSound - 1) / charsPerSound
	files := p.PDFs*mediaTokens + p.PDFChars/charsPerPDF + p.TextBytes/bytesPerToken
	return p.Images*mediaTokens + sounds + files
}

// Sample is the beginning of a request body, for EstimateInput. The zero Sample stands for an empty body.
type Sample struct {
	// Texts says that the input is a list of texts or of tokens, as for embeddings. A provider adds no tokens to it.
	Texts bool
	// Media are the images, sounds and files of the whole body that are known. Their data is not text.
	Media media.Parts

	head  []byte
	total int64 // size of the body in bytes
}

// SampleOf copies at most 8 KiB of body. The body may be released afterwards.
func SampleOf(body []byte) Sample {
	s := SampleIn(body)
	s.head = bytes.Clone(s.head)
	return s
}

// SampleIn returns the same as SampleOf, but without a copy of the body. The body must not change while the
// Sample is in use.
func SampleIn(body []byte) Sample {
	return Sample{head: body[:min(len(body), sampleBytes)], total: int64(len(body))}
}

// EstimateInput estimates the tokens of a request: its texts, the usual number for its images, sounds and files, and
// unless it is for embeddings a constant for each message. It assumes that the text after the sample is like that in
// the sample. If the sample ends within an image, sound or file, it assumes that the rest of the body belongs to that
// and adds nothing, unless the Media are known.
func EstimateInput(model string, s Sample) int64 { return estimateInput(counterOf(model), s) }

func estimateInput(count counter, s Sample) int64 {
	r := newRequestReader(s.head)
	complete := r.read() == nil
	var tokens int64
	for _, text := range r.texts {
		tokens += count(text)
	}
	hasMedia := s.Media != media.Parts{}
	if !hasMedia {
		tokens += r.media * mediaTokens
	}
	extra := int64(0)
	if s.Texts {
		tokens += r.numbers
	} else {
		tokens += r.messages * messageTokens
		extra = answerTokens
	}
	if hasMedia {
		return tokens + extra + s.beyond(tokens, r, complete) + MediaTokens(s.Media) +
			max(0, r.media-s.Media.Count())*mediaTokens
	}
	tail := s.total - int64(len(s.head))
	switch {
	case complete || tail == 0 || r.inMedia: // nothing is left that has tokens
	case tokens == 0:
		tokens = s.total / bytesPerToken
	default:
		tokens = extrapolate(tokens, int64(len(s.head)), tail)
	}
	return tokens + extra
}

// beyond estimates the tokens of the text after the sample of a body whose Media are known. The text of the sample has
// so many tokens.
func (s *Sample) beyond(tokens int64, r *requestReader, complete bool) int64 {
	sample := int64(len(s.head)) - r.mediaBytes
	remainder := s.total - s.Media.Bytes - sample
	switch {
	case complete || remainder <= 0:
		return 0
	case tokens == 0 || sample < enoughBytes: // the sample says too little about the text
		return remainder / bytesPerToken
	}
	return extrapolate(tokens, sample, remainder) - tokens
}

// estimateOutput estimates the tokens of generated text. extraBytes is the size of further text that isn't
// available; estimateOutput assumes that it is like text.
func estimateOutput(count counter, text []byte, extraBytes int64) int64 {
	const maxBytes = 1 << 40 // keeps the products below in range
	head := text[:min(len(text), tokenizeBytes)]
	remainder := min(max(extraBytes, 0), maxBytes) + int64(len(text)-len(head))
	if len(head) == 0 {
		return (remainder + bytesPerToken - 1) / bytesPerToken
	}
	return extrapolate(count(string(head)), int64(len(head)), remainder)
}

// extrapolate returns the tokens of sample+remainder bytes if sample bytes have so many tokens. It rounds up.
func extrapolate(tokens, sample, remainder int64) int64 {
	return tokens + (tokens*remainder+sample-1)/sample
}

// counter returns the number of tokens of a text.
type counter func(text string) int64

// counterOf returns the counter with the vocabulary of the model.
func counterOf(model string) counter {
	encoding := bpe.O200k
	if isOlder(model) {
		encoding = bpe.Cl100k
	}
	enc, err := encoding()
	if err != nil {
		return countBytes // a damaged program still bills
	}
	return enc.Count
}

// countBytes is the counter that does not tokenize.
func countBytes(text string) int64 {
	return int64(len(text)+bytesPerToken-1) / bytesPerToken
}

// isOlder reports whether the model uses the vocabulary from before gpt-4o. Models of other providers use
// neither vocabulary; for them the newer one is the better guess.
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

// requestReader collects the texts of a request whose body may end at any byte.
type requestReader struct {
	json       *jsontext.Decoder
	head       []byte
	texts      []string
	messages   int64
	media      int64
	mediaBytes int64 // what images, sounds and files take of the sample
	numbers    int64 // of the input: each is a token
	inMedia    bool  // the sample ends within an image, sound or file
}

func newRequestReader(head []byte) *requestReader {
	return &requestReader{head: head, json: jsontext.NewDecoder(bytes.NewBuffer(head),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

// read reads the request. An error means that the sample ended before the request did.
func (r *requestReader) read() error {
	return r.object(func(name string) error {
		switch name {
		case "messages", "input":
			return r.conversation()
		case "instructions", "prompt", "system":
			return r.content()
		case "tools", "functions", "response_format", "text":
			return r.schema()
		}
		return r.json.SkipValue()
	})
}

// object reads an object and calls member for each of its members, which must consume the value. It skips any
// other value.
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

// array reads an array and calls element for each of its elements, which must consume the element.
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

// conversation reads a list of messages. A string stands for one message.
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

// content reads a text, or the texts of a message or of its parts.
func (r *requestReader) content() error {
	switch r.json.PeekKind() {
	case '"':
		return r.text()
	case '[':
		return r.array(r.content)
	case '{':
		return r.object(r.member)
	case '0':
		r.numbers++
	}
	return r.json.SkipValue()
}

// member reads one member of a message or of a part.
func (r *requestReader) member(name string) error {
	switch name {
	case "input": // of a message's call it is an object
		if r.json.PeekKind() == '{' {
			return r.schema()
		}
		return r.content()
	case "content", "text", "arguments", "name", "refusal", "output", "summary", "reasoning_content", "thinking":
		return r.content()
	case "image_url", "input_audio", "audio", "file", "file_data", "image", "video_url", "source",
		"result": // of an image_generation_call
		return r.skipMedia()
	}
	if kind := r.json.PeekKind(); kind == '{' || kind == '[' {
		return r.content()
	}
	return r.json.SkipValue()
}

// skipMedia counts an image, sound or file and skips it.
func (r *requestReader) skipMedia() error {
	if r.json.PeekKind() != 'n' {
		r.media++
	}
	before := r.json.InputOffset()
	err := r.json.SkipValue()
	r.inMedia = err != nil
	if after := r.json.InputOffset(); err == nil {
		r.mediaBytes += after - before
	} else {
		r.mediaBytes += int64(len(r.head)) - before
	}
	return err
}

// schema reads the description of tools or of an output format. The model sees every name and text in it, so
// all of them count.
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

// text reads a string, also if the sample ends within it.
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

// cutText adds the beginning of a string that the end of the sample cuts off. It removes an incomplete escape
// sequence.
func (r *requestReader) cutText(data []byte) {
	_, literal, ok := bytes.Cut(data, []byte{'"'})
	if !ok {
		return
	}
	if escape := bytes.LastIndexByte(literal, '\\'); escape >= 0 && len(literal)-escape < len(`\u0000`) {
		literal = literal[:escape]
	}
	text, err := jsontext.AppendUnquote(nil, `"`+string(literal)+`"`)
	if err != nil && len(text) == 0 {
		text = literal
	}
	r.texts = append(r.texts, string(text))
}
