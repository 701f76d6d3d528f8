package media_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/wire/openai/media"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// data is base64 of 24 bytes.
const data = "iVBORw0KGgoAAAANSUhEUgAA/+=="

func find(form media.Form, conversation string) media.Parts {
	return media.Find([]byte(conversation), rawjson.Span{Start: 0, End: len(conversation)}, form)
}

// message returns a conversation of one message with the parts.
func message(parts string) string { return `[{"role":"user","content":[` + parts + `]}]` }

func TestFind_CountsMediaInTheirPlaces(t *testing.T) {
	const size = int64(len(data))
	image := func(signs int) media.Parts { return media.Parts{Images: 1, Bytes: size, Signs: signs} }
	sound := media.Parts{Sounds: 1, SoundChars: size, Bytes: size}
	pdf := func(signs int) media.Parts {
		return media.Parts{PDFs: 1, PDFChars: size, Bytes: size, Signs: signs}
	}
	text := func(signs int) media.Parts { return media.Parts{Texts: 1, TextBytes: 21, Bytes: size, Signs: signs} }
	reference := func(signs int) media.Parts { return media.Parts{Images: 1, Signs: signs} }
	for name, row := range map[string]struct {
		form media.Form
		json string
		want media.Parts
	}{
		"chat: an image": {media.Chat,
			message(`{"type":"image_url","image_url":{"url":"data:image/png;base64,` + data + `","detail":"low"}}`),
			image(2)},
		"chat: an image as a string": {media.Chat,
			message(`{"type":"image_url","image_url":"data:image/JPEG;base64,` + data + `"}`), image(2)},
		"chat: an image by URL": {media.Chat,
			message(`{"type":"image_url","image_url":{"url":"https://x/y.png"}}`), reference(2)},
		"chat: an image of a tool": {media.Chat,
			`[{"role":"tool","tool_call_id":"c","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + data + `"}}]}]`, image(2)},
		"chat: a sound": {media.Chat,
			message(`{"type":"input_audio","input_audio":{"data":"` + data + `","format":"wav"}}`), sound},
		"chat: a sound as a data URL": {media.Chat,
			message(`{"type":"input_audio","input_audio":{"data":"data:;base64,` + data + `"}}`), sound},
		"chat: a sound by URL": {media.Chat,
			message(`{"type":"input_audio","input_audio":{"data":"https://x/y.wav"}}`), reference(0)},
		"chat: a PDF": {media.Chat,
			message(`{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,` + data +
				`"}}`), pdf(0)},
		"chat: a PDF of unknown name": {media.Chat,
			message(`{"type":"file","file":{"file_data":"data:application/pdf;base64,` + data + `"}}`), pdf(0)},
		"chat: a PDF as plain base64": {media.Chat,
			message(`{"type":"file","file":{"filename":"Report 1.3.PDF","file_data":"` + data + `"}}`), pdf(0)},
		"chat: a PDF by URL": {media.Chat,
			message(`{"type":"file","file":{"filename":"a.pdf","file_data":"https://x/a.pdf"}}`), reference(0)},
		"chat: a text": {media.Chat,
			message(`{"type":"file","file":{"filename":"a.md","file_data":"data:text/markdown;charset=utf-8;base64,` +
				data + `"}}`), text(0)},
		"chat: a file by id": {media.Chat, message(`{"type":"file","file":{"file_id":"file_1"}}`),
			reference(1)},
		"chat: two images": {media.Chat,
			message(
				`{"type":"image_url","image_url":{"url":"https://x/y"}},{"type":"image_url","image_url":{"url":"https://x/z"}}`), media.Parts{Images: 2, Signs: 4}},
		"responses: an image": {media.Responses,
			message(`{"type":"input_image","image_url":"data:image/png;base64,` + data + `"}`), image(2)},
		"responses: an image without an id": {media.Responses,
			message(`{"type":"input_image","file_id":null,"image_url":"data:image/png;base64,` + data + `"}`),
			image(3)},
		"responses: an image by id": {media.Responses, message(`{"type":"input_image","file_id":"file_1"}`),
			reference(2)},
		"responses: a PDF": {media.Responses,
			message(`{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,` + data + `"}`),
			pdf(0)},
		"responses: a file by URL": {media.Responses,
			message(`{"type":"input_file","file_url":"https://x/a.pdf"}`), reference(0)},
		"responses: a file by id": {media.Responses, message(`{"type":"input_file","file_id":"file_1"}`),
			reference(1)},
		"responses: JSON": {media.Responses,
			message(`{"type":"input_file","filename":"a.json","file_data":"data:application/json;base64,` + data +
				`"}`), text(0)},
		"responses: a sound": {media.Responses,
			message(`{"type":"input_audio","input_audio":{"data":"` + data + `","format":"mp3"}}`), sound},
		"responses: an image in a result": {media.Responses,
			`[{"type":"function_call_output","call_id":"c","output":[{"type":"input_image","image_url":"data:image/png;base64,` + data + `"}]}]`, image(2)},
		"responses: a screenshot": {media.Responses,
			`[{"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,` + data + `"}}]`, image(1)},
		"responses: a generated image": {media.Responses,
			`[{"type":"image_generation_call","id":"ig_1","result":"` + data + `"}]`, image(0)},
		"messages: an image": {media.Messages,
			message(`{"type":"image","source":{"type":"base64","media_type":"image/webp","data":"` + data + `"}}`),
			image(1)},
		"messages: an image by URL": {media.Messages,
			message(`{"type":"image","source":{"type":"url","url":"https://x/y"}}`), reference(1)},
		"messages: an image by id": {media.Messages,
			message(`{"type":"image","source":{"type":"file","file_id":"file_1"}}`), reference(2)},
		"messages: a PDF": {media.Messages,
			message(`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"` + data +
				`"}}`), pdf(1)},
		"messages: an image in a result": {media.Messages,
			message(
				`{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + data + `"}}]}`), image(1)},
		"escaped slashes of PHP": {media.Chat,
			message(`{"type":"image_url","image_url":{"url":"data:image\/png;base64,ab\/c"}}`),
			media.Parts{Images: 1, Bytes: 5, Signs: 2}},
		"plus signs of .NET and a line break": {media.Chat,
			message(`{"type":"input_audio","input_audio":{"data":"ab\u002Bc\r\nd\u002f"}}`),
			media.Parts{Sounds: 1, SoundChars: 6, Bytes: 20}},
		"a sign that is spelled in escapes": {media.Chat,
			message(`{"type":"image_url","image\u005furl":{"url":"data:image/png;base64,` + data + `"}}`), image(1)},
		"a type that is spelled in escapes": {media.Messages,
			message(`{"type":"\u0069mage","source":{"type":"base64","media_type":"image/webp","data":"` + data + `"}}`),
			image(0)},
		"nothing":      {media.Chat, `[]`, media.Parts{}},
		"not an array": {media.Responses, `"hello"`, media.Parts{}},
		"an array that breaks off": {media.Chat,
			`[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,`, media.Parts{}},
		"an image after something that is odd": {media.Chat,
			`[7,null,{"content":null},{"content":[1,{"type":7},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + data + `"}}]}]`, image(2)},
	} {
		if got := find(row.form, row.json); got != row.want {
			t.Errorf("%s: got %+v, want %+v", name, got, row.want)
		}
	}
}

// All that does not have the form of media in its dialect counts byte by byte.
func TestFind_TakesEverythingElseForText(t *testing.T) {
	const url = `data:image/png;base64,` + data
	for name, row := range map[string]struct {
		form media.Form
		json string
	}{
		"a data URL in a text": {media.Chat, message(`{"type":"text","text":"` + url + `"}`)},
		"a text with the fields of an image": {media.Chat,
			message(`{"type":"text","text":"x","image_url":{"url":"` + url + `"}}`)},
		"no type":                  {media.Chat, message(`{"image_url":{"url":"` + url + `"}}`)},
		"content that is one text": {media.Chat, `[{"role":"user","content":"` + url + `"}]`},
		"arguments of a call": {media.Chat,
			`[{"role":"assistant","tool_calls":[{"type":"function","function":{"name":"f","arguments":"{\"type\":\"image_url\",\"image_url\":{\"url\":\"` + url + `\"}}"}}]}]`},
		"an image in another member of a message": {media.Chat, `[{"role":"user","image_url":{"url":"` + url +
			`"},"type":"image_url"}]`},
		"an image in a part of another type": {media.Chat,
			message(`{"type":"input_text","content":[{"type":"image_url","image_url":{"url":"` + url + `"}}]}`)},
		"an image twice": {media.Chat,
			message(`{"type":"image_url","image_url":{"url":"` + url + `"},"image_url":{"url":"x"}}`)},
		"a URL twice": {media.Chat,
			message(`{"type":"image_url","image_url":{"url":"` + url + `","url":"x"}}`)},
		"a type twice": {media.Chat,
			message(`{"type":"image_url","image_url":{"url":"` + url + `"},"type":"text"}`)},
		"content twice": {media.Chat,
			`[{"content":"x","content":[{"type":"image_url","image_url":{"url":"` + url + `"}}]}]`},
		"two kinds in one part": {media.Chat,
			message(`{"type":"image_url","image_url":{"url":"` + url + `"},"file":{"file_data":"x"}}`)},
		"words instead of base64": {media.Chat,
			message(
				`{"type":"image_url","image_url":{"url":"data:image/png;base64,Say hello to the world, and to all its people."}}`)},
		"words behind base64": {media.Chat, message(`{"type":"image_url","image_url":{"url":"` +
			url[:len(url)-2] + strings.Repeat("A", 999) + ` Say hello."}}`)},
		"words in escapes": {media.Chat,
			message(`{"type":"image_url","image_url":{"url":"` + url + `\u0020Hello"}}`)},
		"a dot": {media.Chat,
			message(`{"type":"image_url","image_url":{"url":"` + url + `AAAAAAA.AAAAAAAAAAAAAAAAAA"}}`)},
		"letters beyond ASCII": {media.Chat,
			message(`{"type":"image_url","image_url":{"url":"` + url + `生命宇宙以及任何事情"}}`)},
		"no data": {media.Chat,
			message(`{"type":"image_url","image_url":{"url":"data:image/png;base64,"}}`)},
		"a data URL of a text as an image": {media.Chat,
			message(`{"type":"image_url","image_url":{"url":"data:text/plain;base64,` + data + `"}}`)},
		"a drawing, which is a text": {media.Chat,
			message(`{"type":"image_url","image_url":{"url":"data:image/svg+xml;base64,` + data + `"}}`)},
		"a data URL without base64": {media.Chat,
			message(`{"type":"image_url","image_url":{"url":"data:image/png,` + data + `"}}`)},
		"an image of the responses API": {media.Chat,
			message(`{"type":"input_image","image_url":"` + url + `"}`)},
		"a file whose name says another type": {media.Chat,
			message(`{"type":"file","file":{"filename":"a.txt","file_data":"data:application/pdf;base64,` + data +
				`"}}`)},
		"a text that is named like a PDF": {media.Chat,
			message(`{"type":"file","file":{"filename":"a.pdf","file_data":"data:text/plain;base64,` + data + `"}}`)},
		"a file of an unknown type": {media.Chat,
			message(`{"type":"file","file":{"filename":"a.zip","file_data":"data:application/zip;base64,` + data +
				`"}}`)},
		"plain base64 without a name": {media.Chat,
			message(`{"type":"file","file":{"file_data":"` + data + `"}}`)},
		"a video as a sound": {media.Chat,
			message(`{"type":"input_audio","input_audio":{"data":"data:video/mp4;base64,` + data + `"}}`)},
		"the result of a function as a text": {media.Responses,
			`[{"type":"function_call_output","output":"` + url + `"}]`},
		"the output of a message": {media.Responses,
			`[{"type":"message","output":[{"type":"input_image","image_url":"` + url + `"}]}]`},
		"the content of a call": {media.Responses,
			`[{"type":"function_call","content":[{"type":"input_image","image_url":"` + url + `"}]}]`},
		"the result of another call": {media.Responses, `[{"type":"message","result":"` + data + `"}]`},
		"two sources": {media.Responses,
			message(`{"type":"input_image","file_id":"file_1","image_url":"` + url + `"}`)},
		"a text document": {media.Messages,
			message(`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"` + data + `"}}`)},
		"an image with the type of a PDF": {media.Messages,
			message(`{"type":"image","source":{"type":"base64","media_type":"application/pdf","data":"` + data +
				`"}}`)},
		"a source without a type": {media.Messages,
			message(`{"type":"image","source":{"media_type":"image/png","data":"` + data + `"}}`)},
		"an image in the input of a call": {media.Messages,
			message(
				`{"type":"tool_use","id":"t","name":"f","input":{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + data + `"}}}`)},
		"a result in a result": {media.Messages,
			message(
				`{"type":"tool_result","content":[{"type":"tool_result","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + data + `"}}]}]}`)},
		"an image of the chat API": {media.Messages,
			message(`{"type":"image_url","image_url":{"url":"` + url + `"}}`)},
		"the text of a result of a tool": {media.Messages,
			message(`{"type":"tool_result","content":"` + url + `"}`)},
		"a part in a source": {media.Messages,
			message(
				`{"type":"document","source":{"type":"content","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + data + `"}}]}}`)},
		"a data URL as the data of an image": {media.Messages,
			message(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + url + `"}}`)},
		"texts to embed": {media.None, message(`{"type":"input_image","image_url":"` + url + `"}`)},
		"a conversation that ends within its data": {media.Messages,
			`[{"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + data},
	} {
		if got := find(row.form, row.json); got.Bytes != 0 || got.Count() != 0 || got.Signs != 0 || got.TextBytes != 0 {
			t.Errorf("%s: got %+v, want none", name, got)
		}
	}
}

// Whatever the conversation is, the data of its parts is a part of it, their numbers fit to that data, and no other
// byte than base64 and its escapes is counted as data.
func FuzzFind(f *testing.F) {
	for _, part := range []string{
		`{"type":"image_url","image_url":{"url":"data:image/png;base64,` + data + `"}}`,
		`{"type":"input_audio","input_audio":{"data":"` + data + `"}}`,
		`{"type":"file","file":{"filename":"a.pdf","file_data":"` + data + `"}}`,
		`{"type":"input_image","image_url":"data:image\/png;base64,a\u002Bb"}`,
		`{"type":"input_file","file_data":"data:text/plain;base64,` + data + `"}`,
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + data + `"}}`,
		`{"type":"tool_result","content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"` + data + `"}}]}`,
	} {
		f.Add(message(part))
	}
	f.Add(`[{"type":"function_call_output","output":[{"type":"input_image","file_id":"x"}]}]`)
	f.Fuzz(func(t *testing.T, conversation string) {
		for _, form := range []media.Form{media.Chat, media.Responses, media.Messages} {
			got := find(form, conversation)
			letters := int64(strings.Count(conversation, "") - 1)
			for _, r := range conversation {
				if r == ' ' || r > '~' {
					letters--
				}
			}
			if got.Bytes < 0 || got.Bytes > letters || got.SoundChars+got.PDFChars > got.Bytes ||
				got.TextBytes > got.Bytes || got.Signs < 0 || got.Count() < 0 {
				t.Fatalf("%d: got %+v of %d bytes", form, got, len(conversation))
			}
			if signs := countSigns(conversation, form); json.Valid([]byte(conversation)) && got.Signs > signs {
				t.Fatalf("%d: got %d signs, want at most %d", form, got.Signs, signs)
			}
		}
	})
}

// countSigns counts the signs in a JSON text.
func countSigns(text string, form media.Form) (n int) {
	s := rawjson.Scanner{Body: fmt.Appendf(nil, `{"x":%s}`, text), Strings: signs{form, &n}}
	_, _ = s.Object(func([]byte, rawjson.Span) error { return nil })
	return n
}

type signs struct {
	form media.Form
	n    *int
}

func (s signs) VisitString(quoted []byte) {
	if media.IsSign(quoted, s.form) {
		*s.n++
	}
}
