// Package media finds the images, sounds and files in the conversation of a request, so that their data is not counted
// as text.
//
// Find looks only where a dialect has media: at the parts of messages and of the results of tools, by their structure
// and their type. A part counts if its data is base64 of a known type, or if it refers to its data by a URL or an id.
// Everything else is text, however it looks: a data URL in a text, in a schema, in the arguments of a call or in the
// metadata, a part whose type does not match its data, one that has a field twice, and data that is not base64.
//
//	{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBO..."}}    an image, whose data is no text
//	{"type":"text","text":"data:image/png;base64,iVBO..."}                      a text
package media

import "github.com/tollgate/tollgate/libs/wire/rawjson"

// Form is the form of a conversation.
type Form uint8

// The forms: those of the dialects with media.
const (
	None Form = iota
	Chat
	Responses
	Messages
)

// Parts counts the images, sounds and files of a conversation.
type Parts struct {
	Images     int64 // images, inline or not, and files and sounds that the request only refers to
	Sounds     int64 // inline
	SoundChars int64 // characters of base64 of the sounds
	PDFs       int64 // inline
	PDFChars   int64 // characters of base64 of the PDFs
	Texts      int64 // inline files with text
	TextBytes  int64 // decoded bytes of the files with text
	Bytes      int64 // bytes of the body that the data of the parts takes, as it is spelled
	Signs      int   // strings of the parts for which IsSign reports true
}

// Count returns the number of images, sounds and files.
func (p *Parts) Count() int64 { return p.Images + p.Sounds + p.PDFs + p.Texts }

// MaxSignLength is the length in bytes of the longest string for which IsSign or IsOtherSign reports true.
const MaxSignLength = len(`"image_generation_call"`)

// IsSign reports whether a string, with its quotes, shows that the request may have an image or may refer to a file.
func IsSign(quoted []byte, form Form) bool {
	switch string(quoted) {
	case `"image_url"`, `"input_image"`, `"file_id"`:
		return true
	case `"image"`, `"document"`:
		return form == Messages
	}
	return false
}

// IsOtherSign reports whether a string, with its quotes, shows that the request may have other media than those of
// IsSign.
func IsOtherSign(quoted []byte) bool {
	switch string(quoted) {
	case `"input_audio"`, `"file_data"`, `"file_url"`, `"computer_screenshot"`, `"image_generation_call"`:
		return true
	}
	return false
}

// Find counts the parts of the conversation, the value at a span of the body. What it cannot read has no parts.
func Find(body []byte, conversation rawjson.Span, form Form) Parts {
	f := finder{body: body, form: form}
	if conversation.End > conversation.Start {
		f.eachElement(conversation, f.readItem)
	}
	return f.parts
}

// finder finds the parts of one conversation.
type finder struct {
	body  []byte
	form  Form
	parts Parts
}

// eachElement calls the function read for every element of the array at a span. The zero Span has none.
func (f *finder) eachElement(array rawjson.Span, read func(rawjson.Span)) {
	if array == (rawjson.Span{}) {
		return
	}
	rawjson.EachElement(f.body, array, func(at rawjson.Span) bool {
		read(at)
		return true
	})
}

// readItem reads a message, or an item of a responses request.
func (f *finder) readItem(at rawjson.Span) {
	item, ok := f.members(at, "type", "content", "output", "result")
	if !ok {
		return
	}
	content, output := item.at[1], item.at[2]
	switch f.form {
	case Chat:
		f.eachElement(content, f.readChatPart)
		return
	case Messages:
		f.eachElement(content, f.readBlock)
		return
	case Responses:
	case None:
		return
	}
	switch string(f.text(item.at[0])) {
	case "", "message":
		f.eachElement(content, f.readInputPart)
	case "function_call_output", "custom_tool_call_output":
		f.eachElement(output, f.readInputPart)
	case "computer_call_output":
		f.readInputPart(output)
	case "image_generation_call":
		f.countImage(withoutQuotes(item.at[3]))
	}
}

// readChatPart reads one part of a chat message.
func (f *finder) readChatPart(at rawjson.Span) {
	part, ok := f.members(at, "type", "image_url", "input_audio", "file")
	if !ok || !part.hasOnlyOne(1, 3) {
		return
	}
	image, sound, file := part.at[1], part.at[2], part.at[3]
	switch string(f.text(part.at[0])) {
	case "image_url":
		inner := object{}
		inner.at[0] = image // some clients send the URL itself
		if f.beginsWith(image, '{') {
			if inner, ok = f.members(image, "url"); !ok {
				return
			}
		}
		if f.countImageURL(inner.at[0]) {
			f.parts.Signs += part.signs
		}
	case "input_audio":
		f.countSound(sound)
	case "file":
		if inner, ok := f.members(file, "file_data", "file_id", "filename"); ok && inner.hasOnlyOne(0, 1) {
			if f.countFile(inner.at[0], inner.at[2]) || f.countReference(inner.at[1]) {
				f.parts.Signs += inner.signs
			}
		}
	}
}

// readInputPart reads one part of a responses request.
func (f *finder) readInputPart(at rawjson.Span) {
	part, ok := f.members(at, "type", "image_url", "file_id", "file_data", "file_url", "input_audio", "filename")
	if !ok || !part.hasOnlyOne(1, 5) {
		return
	}
	url, id, data, address, sound := part.at[1], part.at[2], part.at[3], part.at[4], part.at[5]
	switch string(f.text(part.at[0])) {
	case "input_image", "computer_screenshot":
		if f.countImageURL(url) || f.countReference(id) {
			f.parts.Signs += part.signs
		}
	case "input_file":
		if f.countFile(data, part.at[6]) || f.countReference(id) || f.countReference(address) {
			f.parts.Signs += part.signs
		}
	case "input_audio":
		f.countSound(sound)
	}
}

// readBlock reads one block of a messages request.
func (f *finder) readBlock(at rawjson.Span) {
	block, ok := f.members(at, "type", "source", "content")
	if !ok {
		return
	}
	switch kind := f.text(block.at[0]); string(kind) {
	case "tool_result": // its content is nested once; Anthropic's API refuses more
		f.eachElement(block.at[2], f.readSource)
	case "image", "document":
		f.readSource(at)
	}
}

// readSource reads the source of a block that is an image or a document.
func (f *finder) readSource(at rawjson.Span) {
	block, ok := f.members(at, "type", "source")
	if !ok {
		return
	}
	kind := string(f.text(block.at[0]))
	if kind != "image" && kind != "document" {
		return
	}
	source, ok := f.members(block.at[1], "type", "data", "url", "file_id", "media_type")
	if !ok || !source.hasOnlyOne(1, 3) {
		return
	}
	source.signs += block.signs
	data, url, id, mediaType := source.at[1], source.at[2], source.at[3], f.text(source.at[4])
	switch string(f.text(source.at[0])) {
	case "base64":
		if kind == "image" {
			if f.countTypedImage(mediaType, withoutQuotes(data)) {
				f.parts.Signs += source.signs
			}
		} else {
			if f.countDocument(mediaType, withoutQuotes(data)) {
				f.parts.Signs += source.signs
			}
		}
	case "url":
		if f.countReference(url) {
			f.parts.Signs += source.signs
		}
	case "file":
		if f.countReference(id) {
			f.parts.Signs += source.signs
		}
	}
}

// maxMembers is the largest number of members that members looks for.
const maxMembers = 7

// object holds the members of a JSON object that were looked for.
type object struct {
	at    [maxMembers]rawjson.Span // the values; zero if a member is absent or null
	signs int                      // how many of their keys, and of the values of type, are signs
}

// hasOnlyOne reports whether exactly one of the members from low to high is there.
func (o *object) hasOnlyOne(low, high int) bool {
	n := 0
	for _, at := range o.at[low : high+1] {
		if at != (rawjson.Span{}) {
			n++
		}
	}
	return n == 1
}

// members returns the members of an object that have the names. ok is false if the value is not an object, or if it has
// one of them twice: a second reader might take the other one.
func (f *finder) members(at rawjson.Span, names ...string) (o object, ok bool) {
	if !f.beginsWith(at, '{') {
		return o, false
	}
	ok = true
	s := rawjson.Scanner{Body: f.body[:at.End], At: at.Start}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		for i, name := range names {
			if string(key) != name {
				continue
			}
			if IsSign(s.Key.Of(f.body), f.form) {
				o.signs++
			}
			raw := value.Of(f.body)
			if i == 0 && IsSign(raw, f.form) {
				o.signs++
			}
			if string(raw) != "null" {
				ok = ok && o.at[i] == (rawjson.Span{})
				o.at[i] = value
			}
		}
		return nil
	})
	return o, ok && err == nil
}

// beginsWith reports whether the value at a span begins with c.
func (f *finder) beginsWith(at rawjson.Span, c byte) bool {
	return at.End > at.Start && f.body[at.Start] == c
}

// text returns the string at a span, and nil for any other value.
func (f *finder) text(at rawjson.Span) []byte { return rawjson.Text(at.Of(f.body)) }
