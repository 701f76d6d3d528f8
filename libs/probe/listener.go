package probe

import (
	"strings"
	"time"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/provider"
)

// listener is the decoder of an answer. It notes when the first token arrived, returns errors that the upstream
// reports within a stream as errors, and replaces the credential by its mask: an upstream that repeats what it
// receives must not show it. It is not safe for concurrent use.
type listener struct {
	provider.Decoder
	key        Credential
	now        func() time.Time
	firstToken time.Time // zero before the first token

	raw   []completion.Event // reused for each frame
	tails map[int]string     // by index of the item: the end of its text, which may begin the credential
}

// Whole implements provider.Decoder.
func (l *listener) Whole(body []byte) (completion.Response, error) {
	answer, err := l.Decoder.Whole(body)
	for i := range answer.Items {
		item := &answer.Items[i]
		item.Text, item.Name = l.masked(item.Text), l.masked(item.Name)
	}
	if len(answer.Items) > 0 {
		l.note()
	}
	return answer, err
}

// Frame implements provider.Decoder.
func (l *listener) Frame(events []completion.Event, name string, data []byte) ([]completion.Event, error) {
	raw, err := l.Decoder.Frame(l.raw[:0], name, data)
	return l.pass(events, raw, err)
}

// Close implements provider.Decoder.
func (l *listener) Close(events []completion.Event) ([]completion.Event, error) {
	raw, err := l.Decoder.Close(l.raw[:0])
	return l.pass(events, raw, err)
}

// pass appends the events of the upstream to events, up to the first failure.
func (l *listener) pass(events, raw []completion.Event, err error) ([]completion.Event, error) {
	l.raw = raw
	for _, e := range raw {
		switch e.Type {
		case completion.EventFail:
			return events, &e.Error
		case completion.EventItemBegin:
			e.Item.Name = l.masked(e.Item.Name)
			if e.Item.Type == completion.ItemToolCall {
				l.note()
			}
		case completion.EventItemDelta:
			if e.Item.Text != "" {
				l.note()
			}
			e.Item.Text = l.next(e.Index, e.Item.Text)
		case completion.EventItemEnd:
			if tail := l.tails[e.Index]; tail != "" {
				delete(l.tails, e.Index)
				events = append(events, completion.Event{Type: completion.EventItemDelta, Index: e.Index,
					Item: completion.Item{Text: tail}})
			}
		}
		events = append(events, e)
	}
	return events, err
}

// note notes the first token.
func (l *listener) note() {
	if l.firstToken.IsZero() {
		l.firstToken = l.now()
	}
}

// next returns the next text of an item without the credential, which may arrive in pieces. It holds the end of the
// text back as long as it may be the beginning of the credential.
func (l *listener) next(item int, text string) string {
	if l.key.Plain == "" {
		return text
	}
	text = l.masked(l.tails[item] + text)
	delete(l.tails, item)
	for n := min(len(text), len(l.key.Plain)-1); n > 0; n-- {
		if !strings.HasSuffix(text, l.key.Plain[:n]) {
			continue
		}
		if l.tails == nil {
			l.tails = map[int]string{}
		}
		l.tails[item] = text[len(text)-n:]
		return text[:len(text)-n]
	}
	return text
}

// masked returns the text with the mask in place of the credential.
func (l *listener) masked(text string) string {
	if l.key.Plain == "" {
		return text
	}
	return strings.ReplaceAll(text, l.key.Plain, l.key.Mask)
}
