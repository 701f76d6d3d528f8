package media

import (
	"bytes"
	"encoding/binary"

	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// maxHead is the length in bytes up to which a data URL is read for its media type.
const maxHead = 256

var (
	pdfType     = []byte("application/pdf")
	unknownType = []byte("application/octet-stream")
	// imageTypes are the types of images that have one page and are no text.
	imageTypes = [][]byte{
		[]byte("image/png"), []byte("image/jpeg"), []byte("image/jpg"), []byte("image/pjpeg"), []byte("image/x-png"),
		[]byte("image/webp"),
		[]byte("image/gif"), []byte("image/heic"), []byte("image/heif"), []byte("image/avif"), []byte("image/bmp"),
	}
	// textEndings are endings of the names of files with text.
	textEndings = [][]byte{[]byte("txt"), []byte("md"), []byte("csv"), []byte("json"), []byte("html"), []byte("xml")}
)

// countImageURL counts the image with a URL or data URL, and reports whether it did.
func (f *finder) countImageURL(at rawjson.Span) bool {
	mediaType, data, ok := f.dataURL(at)
	if !ok {
		return f.countReference(at)
	}
	return f.countTypedImage(mediaType, data)
}

// countTypedImage counts an inline image, and reports whether it did.
func (f *finder) countTypedImage(mediaType []byte, data rawjson.Span) bool {
	return isAny(mediaType, imageTypes) && f.countImage(data)
}

// countImage counts the data of an image, and reports whether it did.
func (f *finder) countImage(data rawjson.Span) bool {
	_, ok := f.countInline(data)
	if ok {
		f.parts.Images++
	}
	return ok
}

// countSound counts the sound in an object with its data.
func (f *finder) countSound(at rawjson.Span) {
	o, ok := f.members(at, "data")
	if !ok {
		return
	}
	data := withoutQuotes(o.at[0])
	if mediaType, inURL, isURL := f.dataURL(o.at[0]); isURL { // the form of Alibaba Cloud's API
		if len(mediaType) > 0 && !hasPrefixFold(mediaType, "audio/") {
			return
		}
		data = inURL
	}
	chars, ok := f.countInline(data)
	switch {
	case ok:
		f.parts.Sounds++
		f.parts.SoundChars += chars
	case f.isAddress(o.at[0]):
		f.countReference(o.at[0])
	}
}

// countFile counts the file with the data, and reports whether it did. The data is a data URL, a URL, or plain base64,
// whose type is known from the file's name.
func (f *finder) countFile(at, name rawjson.Span) bool {
	if at == (rawjson.Span{}) {
		return false
	}
	if f.isAddress(at) {
		return f.countReference(at)
	}
	mediaType, data, isURL := f.dataURL(at)
	if !isURL {
		mediaType, data = nil, withoutQuotes(at)
	}
	ending := endingOf(f.text(name))
	isPDF := bytes.EqualFold(mediaType, pdfType)
	switch {
	case len(mediaType) > 0 && !bytes.EqualFold(mediaType, unknownType):
		if len(ending) > 0 && bytes.EqualFold(ending, []byte("pdf")) != isPDF { // the upstream may believe either
			return false
		}
		return f.countDocument(mediaType, data)
	case bytes.EqualFold(ending, []byte("pdf")):
		return f.countDocument(pdfType, data)
	case isAny(ending, textEndings):
		return f.countDocument([]byte("text/plain"), data)
	}
	return false
}

// countDocument counts an inline PDF or text, and reports whether it did.
func (f *finder) countDocument(mediaType []byte, data rawjson.Span) bool {
	isPDF := bytes.EqualFold(mediaType, pdfType)
	if !isPDF && !hasPrefixFold(mediaType, "text/") && !bytes.EqualFold(mediaType, []byte("application/json")) {
		return false
	}
	chars, ok := f.countInline(data)
	switch {
	case !ok:
	case isPDF:
		f.parts.PDFs++
		f.parts.PDFChars += chars
	default:
		f.parts.Texts++
		f.parts.TextBytes += chars/4*3 + chars%4
	}
	return ok
}

// countReference counts what a URL or an id refers to, and reports whether it did. A data URL is no reference.
func (f *finder) countReference(at rawjson.Span) bool {
	raw := withoutQuotes(at).Of(f.body)
	if !f.beginsWith(at, '"') || len(raw) == 0 || hasPrefixFold(raw, "data:") {
		return false
	}
	f.parts.Images++
	return true
}

// isAddress reports whether a string is a URL on the web.
func (f *finder) isAddress(at rawjson.Span) bool {
	raw := withoutQuotes(at).Of(f.body)
	return f.beginsWith(at, '"') && (hasPrefixFold(raw, "https:") || hasPrefixFold(raw, "http:"))
}

// dataURL returns the media type of a data URL in base64, and the span of its data.
func (f *finder) dataURL(at rawjson.Span) (mediaType []byte, data rawjson.Span, ok bool) {
	if !f.beginsWith(at, '"') {
		return nil, data, false
	}
	data = withoutQuotes(at)
	raw := data.Of(f.body)
	comma := bytes.IndexByte(raw[:min(len(raw), maxHead)], ',')
	if comma < 0 || !hasPrefixFold(raw, "data:") {
		return nil, data, false
	}
	head := raw[len("data:"):comma]
	if bytes.IndexByte(head, '\\') >= 0 { // PHP escapes slashes
		head = bytes.ReplaceAll(head, []byte(`\/`), []byte(`/`))
	}
	const base64 = ";base64"
	if n := len(head) - len(base64); n < 0 || !hasPrefixFold(head[n:], base64) {
		return nil, data, false
	}
	mediaType, _, _ = bytes.Cut(head, []byte{';'})
	data.Start += comma + 1
	return mediaType, data, true
}

// withoutQuotes returns the span of a string without its quotes. That of any other value has no base64.
func withoutQuotes(at rawjson.Span) rawjson.Span {
	if at.End-at.Start < 2 {
		return rawjson.Span{}
	}
	return rawjson.Span{Start: at.Start + 1, End: at.End - 1}
}

// endingOf returns what follows the last dot of a file's name if it may be an ending.
func endingOf(name []byte) []byte {
	dot := bytes.LastIndexByte(name, '.')
	if dot < 0 || len(name)-dot > len(".markdown") {
		return nil
	}
	for _, c := range name[dot+1:] {
		if 'a' <= c|0x20 && c|0x20 <= 'z' { // "3" of "Report 1.3" is none
			return name[dot+1:]
		}
	}
	return nil
}

func isAny(text []byte, list [][]byte) bool {
	for _, member := range list {
		if bytes.EqualFold(text, member) {
			return true
		}
	}
	return false
}

// hasPrefixFold reports whether the text begins with the prefix, in any case.
func hasPrefixFold(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && bytes.EqualFold(text[:len(prefix)], []byte(prefix))
}

// countInline counts the bytes of data in base64, and returns the number of its characters. ok is false if it is empty
// or has any other character: then it may be a text.
func (f *finder) countInline(data rawjson.Span) (chars int64, ok bool) {
	raw := data.Of(f.body)
	if chars, ok = charsOf(raw); !ok || chars == 0 {
		return 0, false
	}
	f.parts.Bytes += int64(len(raw))
	return chars, true
}

// notBase64 has 1 for each byte that is no character of base64, and 0 for the others.
var notBase64 = func() (table [256]byte) {
	for c := range table {
		table[c] = 1
	}
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=") {
		table[c] = 0
	}
	return table
}()

// charsOf returns the number of characters of base64 in a string, and false if it has others. Line breaks do not count.
func charsOf(raw []byte) (chars int64, ok bool) {
	for {
		end := bytes.IndexByte(raw, '\\')
		if end < 0 {
			return chars + int64(len(raw)), isBase64(raw)
		}
		if !isBase64(raw[:end]) {
			return 0, false
		}
		chars += int64(end)
		n, counts := escapeOf(raw[end:])
		if n == 0 {
			return 0, false
		}
		if counts {
			chars++
		}
		raw = raw[end+n:]
	}
}

// isBase64 reports whether all bytes are characters of base64. It reads eight bytes at once, because pictures are
// large.
func isBase64(raw []byte) bool {
	for ; len(raw) >= 16; raw = raw[16:] {
		if commonChars(binary.LittleEndian.Uint64(raw))&commonChars(binary.LittleEndian.Uint64(raw[8:])) != highBits &&
			!isBase64Bytewise(raw[:16]) {
			return false
		}
	}
	return isBase64Bytewise(raw)
}

// isBase64Bytewise does the same as isBase64, byte by byte.
func isBase64Bytewise(raw []byte) bool {
	var bad byte
	for _, c := range raw {
		bad |= notBase64[c]
	}
	return bad == 0
}

const (
	lowBits  = 0x0101010101010101
	highBits = 0x80 * lowBits
)

// commonChars returns the high bit of each of eight bytes that is a letter, a digit, or one of + - /.
func commonChars(word uint64) uint64 {
	seven := word &^ highBits // no sum below carries into the next byte
	folded := seven | 0x20*lowBits
	letters := (folded + (0x80-'a')*lowBits) &^ (folded + (0x80-'z'-1)*lowBits)
	digits := (seven + (0x80-'+')*lowBits) &^ (seven + (0x80-'9'-1)*lowBits)
	neither := (seven&^(0x02*lowBits) ^ ','*lowBits) + 0x7f*lowBits // no comma and no dot
	return (letters | digits&neither) &^ word & highBits
}

// escapeOf returns the length of the escape sequence at the beginning of a string if it stands for a character of
// base64, or for a line break, which does not count. The length is 0 for any other.
func escapeOf(raw []byte) (n int, counts bool) {
	switch {
	case len(raw) < 2:
	case raw[1] == '/':
		return 2, true
	case raw[1] == 'n' || raw[1] == 'r':
		return 2, false
	case raw[1] != 'u':
	case hasPrefixFold(raw, `\u002b`), hasPrefixFold(raw, `\u002f`), hasPrefixFold(raw, `\u003d`): // as .NET escapes
		return len(`\u002b`), true
	}
	return 0, false
}
