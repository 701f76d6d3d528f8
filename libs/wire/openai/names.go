package openai

import (
	"bytes"
	"strconv"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// Rewriter tells what a client reads in a responses answer in place of what its
// upstream wrote.
type Rewriter struct {
	ResponseID   func(id string) string // the id of the response
	PreviousID   func(id string) string // the id of the response that it went on from
	ResumedID    string                 // the same where no upstream knows of it, "" otherwise
	Tag          func() string          // is put before encrypted content, to know its maker by
	CleanMessage func(text string) string
}

// RewriteBody renames in the JSON of a response, and adds `output_text` where it has
// none. What is not a response object stays as it is.
func (n *Rewriter) RewriteBody(body []byte) []byte {
	at := span{0, len(body)}
	f := fieldsOf(body, at)
	edits := n.edits(body, f)
	if f.output != (span{}) && f.text == (span{}) {
		edits = append(edits, addText(body, at, f.output))
	}
	return splice(body, inOrder(append(edits, n.tags(body)...))).Bytes()
}

// RewriteFrame renames in a frame of a responses stream. Terminal events get
// `output_text` where they have none.
func (n *Rewriter) RewriteFrame(frame *Frame) {
	e := frame.Event
	if e == nil || e.Type == EventDelta || frame.Err != nil {
		return
	}
	edits := n.tags(frame.Data)
	if e.response != (span{}) {
		f := fieldsOf(frame.Data, e.response)
		edits = append(edits, n.edits(frame.Data, f)...)
		if (e.Type == EventCompleted || e.Type == EventIncomplete) && f.output != (span{}) && f.text == (span{}) {
			edits = append(edits, addText(frame.Data, e.response, f.output))
		}
	}
	if len(edits) > 0 {
		frame.Replace(splice(frame.Data, inOrder(edits)).Bytes())
	}
}

// edits are those of the ids and the error of one response object.
func (n *Rewriter) edits(data []byte, f fields) (edits []edit) {
	rename := func(at span, name func(string) string) {
		if id := textOf(at.of(data)); len(id) > 0 {
			edits = append(edits, edit{at, quoted(name(string(id)))})
		}
	}
	rename(f.id, n.ResponseID)
	rename(f.previous, n.PreviousID)
	if n.ResumedID != "" && string(f.previous.of(data)) == "null" {
		edits = append(edits, edit{f.previous, quoted(n.ResumedID)})
	}
	s := scanner{body: data[:f.fault.end], at: f.fault.start}
	_, _ = s.object(func(key []byte, value span) error { // what is no object has no message
		if string(key) == "message" {
			rename(value, n.CleanMessage)
		}
		return nil
	})
	return edits
}

// addText adds `output_text` to a response object that has an output.
func addText(data []byte, response, output span) edit {
	end := response.start + bytes.LastIndexByte(response.of(data), '}')
	return edit{span{end, end}, append([]byte(`,"output_text":`), outputText(data, output)...)}
}

// outputText returns, as a JSON string, the text that stands in all parts of
// all messages of an output.
func outputText(data []byte, output span) []byte {
	text := []byte{'"'}
	eachMember(data, output, "content", "message", func(content span) {
		eachMember(data, content, "text", "output_text", func(part span) {
			if raw := part.of(data); raw[0] == '"' {
				text = append(text, raw[1:len(raw)-1]...)
			}
		})
	})
	return append(text, '"')
}

// eachMember calls found with the member of that name of each object of the
// type in an array of objects.
func eachMember(data []byte, array span, name, ofType string, found func(value span)) {
	eachElement(data, array, func(element span) bool {
		var member span
		matches := false
		s := scanner{body: data[:element.end], at: element.start}
		_, err := s.object(func(key []byte, value span) error {
			switch string(key) {
			case "type":
				matches = string(textOf(value.of(data))) == ofType
			case name:
				member = value
			}
			return nil
		})
		if err == nil && matches && member != (span{}) {
			found(member)
		}
		return true
	})
}

// eachElement calls each with the elements of an array, until it returns false.
func eachElement(data []byte, array span, each func(element span) bool) {
	s := scanner{body: data[:array.end], at: array.start}
	if !s.eat('[') {
		return
	}
	for {
		s.space()
		value, err := s.value()
		if err != nil || value.start == value.end || !each(value) {
			return
		}
		s.space()
		if !s.eat(',') {
			return
		}
	}
}

// tagPrefix is how content begins that was tagged here.
const tagPrefix = "tg1."

var encryptedKey = []byte(`"encrypted_content"`)

// eachEncrypted calls found with the inside of every string under the key
// "encrypted_content". Quotes inside strings are escaped, so that what is
// found is a key, or a string that no colon follows.
func eachEncrypted(data []byte, found func(inside span)) {
	for at := 0; ; {
		i := bytes.Index(data[at:], encryptedKey)
		if i < 0 {
			return
		}
		s := scanner{body: data, at: at + i + len(encryptedKey)}
		at = s.at
		s.space()
		if !s.eat(':') {
			continue
		}
		s.space()
		if value, err := s.string(); err == nil {
			found(span{value.start + 1, value.end - 1})
			at = value.end
		}
	}
}

// tags are the edits that put the tag before encrypted content.
func (n *Rewriter) tags(data []byte) (edits []edit) {
	eachEncrypted(data, func(inside span) {
		if inside.start < inside.end {
			edits = append(edits, edit{span{inside.start, inside.start}, []byte(tagPrefix + n.Tag() + ".")})
		}
	})
	return edits
}

// TakeTags takes the tags off the request's encrypted content and calls each with
// them, in their order. An error of each is returned as an InvalidType problem
// that names the item; what it was is private.
func (r *Request) TakeTags(each func(tag string) error) (err error) {
	if r.tags != nil {
		return nil
	}
	eachEncrypted(r.body, func(inside span) {
		tag, tagged := tagOf(inside.of(r.body))
		if !tagged || err != nil {
			return
		}
		if err = each(string(tag)); err != nil {
			err = &problem.Problem{
				Kind: problem.InvalidType, Param: r.itemAt(inside.start) + ".encrypted_content", Cause: err,
				Message: "The encrypted content was not made for this account, or is damaged.",
			}
		}
		r.tags = append(r.tags, span{inside.start, inside.start + len(tagPrefix) + len(tag) + 1})
	})
	return err
}

// itemAt names the item of the input within which an offset lies.
func (r *Request) itemAt(offset int) string {
	item, n := "input", 0
	eachElement(r.body, r.input, func(element span) bool {
		if offset < element.end {
			item = "input[" + strconv.Itoa(n) + "]"
			return false
		}
		n++
		return true
	})
	return item
}
