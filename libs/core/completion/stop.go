package completion

import "math"

// Stopper ends a response before the first stop sequence in its text, for upstreams whose dialect has no stop
// sequences. It looks only at items of the type ItemText, as if their texts were one: reasoning, refusals and calls
// pass as they are. Text that may be the beginning of a sequence is held back until it is decided, which is always less
// text than the longest sequence has, and so is the end of its item. A Stopper is for one response, and for clients to
// which several texts look like one. It is not safe for concurrent use.
type Stopper struct {
	matcher   matcher
	texts     map[int]bool // the text items that have begun, by Event.Index
	textIndex int          // the index of the last of them, to which the text belongs that is held back
	heldEnds  []Event      // the end of that item, which must not overtake the text
	stopped   bool
}

// NewStopper returns a Stopper for the sequences. None of them may be empty.
func NewStopper(sequences []string) *Stopper {
	return &Stopper{matcher: newMatcher(sequences), texts: map[int]bool{}}
}

// Stopped reports whether the response was ended at a sequence.
func (s *Stopper) Stopped() bool { return s.stopped }

// Cut ends a complete response at the first sequence. What came after the sequence is dropped. The usage stays: it
// counts the text that was dropped, too.
func (s *Stopper) Cut(r *Response) {
	lastIndex := -1
	for i := range r.Items {
		if r.Items[i].Type != ItemText {
			continue
		}
		lastIndex = i
		if r.Items[i].Text, s.stopped = s.matcher.next(r.Items[i].Text); s.stopped {
			break
		}
	}
	if lastIndex >= 0 && !s.stopped {
		var tail string
		tail, s.stopped = s.matcher.rest()
		r.Items[lastIndex].Text += tail
	}
	if s.stopped {
		r.Items, r.FinishReason, r.StopSequence = r.Items[:lastIndex+1], FinishStop, s.matcher.match
	}
}

// Pass appends the next events of a stream to dst. At the first sequence it appends EventEnd in place of all that
// follows, with the usage if events has it already. After that it appends nothing.
func (s *Stopper) Pass(dst, events []Event) []Event {
	for i, e := range events {
		if s.stopped {
			return dst
		}
		switch {
		case e.Type == EventItemBegin && e.Item.Type == ItemText:
			s.texts[e.Index], s.textIndex = true, e.Index // held text moves to this item, as in Cut
			dst, s.heldEnds = append(dst, s.heldEnds...), nil
		case e.Type == EventItemEnd && e.Index == s.textIndex && s.matcher.tail != "":
			s.heldEnds = append(s.heldEnds, e)
			continue
		case e.Type == EventItemDelta && s.texts[e.Index]:
			s.textIndex = e.Index
			e.Item.Text, s.stopped = s.matcher.next(e.Item.Text)
			dst = s.text(dst, e.Item.Text)
			if len(e.Item.Citations) > 0 && !s.stopped {
				e.Item.Text = ""
				dst = append(dst, e)
			}
			if s.stopped {
				dst = append(dst, s.End(events[i:]))
			}
			continue
		case e.Type == EventEnd, e.Type == EventFail:
			if dst = s.Flush(dst); s.stopped {
				dst[len(dst)-1] = s.End(events[i:])
				continue
			}
		}
		dst = append(dst, e)
	}
	return dst
}

// Flush appends what is held back, at the end of a stream. If the text has a sequence, Flush also appends EventEnd.
func (s *Stopper) Flush(dst []Event) []Event {
	if s.stopped {
		return dst
	}
	var tail string
	tail, s.stopped = s.matcher.rest()
	dst, s.heldEnds = append(s.text(dst, tail), s.heldEnds...), nil
	if s.stopped {
		dst = append(dst, s.End(nil))
	}
	return dst
}

// text appends a piece of the last text, unless it is empty.
func (s *Stopper) text(dst []Event, text string) []Event {
	if text == "" {
		return dst
	}
	return append(dst, Event{Type: EventItemDelta, Index: s.textIndex, Item: Item{Text: text}})
}

// End returns the event that ends a response at the stop sequence that was found. It has the usage of events.
func (s *Stopper) End(events []Event) Event {
	end := Event{Type: EventEnd, Response: Response{FinishReason: FinishStop, StopSequence: s.matcher.match}}
	for i := range events {
		if u := events[i].Response.Usage; u != nil {
			end.Response.Usage = u
		}
	}
	return end
}

// matcher finds the first occurrence of any of its sequences in a text that comes in pieces. Of two occurrences the one
// that begins earlier is the first, however the text is cut. The time is linear in the text, whatever the sequences are
// (Knuth, Morris and Pratt).
type matcher struct {
	sequences []sequence
	size      int    // bytes of text so far
	start     int    // where the first occurrence so far begins; math.MaxInt: none
	match     string // the sequence of that occurrence
	tail      string // the end of the text, which may be the beginning of a sequence
}

// sequence is a stop sequence and how much of it the text ends with.
type sequence struct {
	text string
	// By number of matched bytes: the next smaller number of first bytes of the sequence with which the text ends, too.
	fallback []int
	matched  int // the text ends with this many first bytes of the sequence
}

func newMatcher(sequences []string) matcher {
	m := matcher{start: math.MaxInt, sequences: make([]sequence, len(sequences))}
	for i, text := range sequences {
		s := sequence{text: text, fallback: make([]int, len(text)+1)}
		for end := 1; end < len(text); end++ {
			s.step(text[end])
			s.fallback[end+1] = s.matched
		}
		s.matched = 0
		m.sequences[i] = s
	}
	return m
}

// step adds a byte of the text and reports whether the text now ends with the whole sequence.
func (s *sequence) step(b byte) bool {
	for s.matched == len(s.text) || s.matched > 0 && s.text[s.matched] != b {
		s.matched = s.fallback[s.matched]
	}
	if s.text[s.matched] == b {
		s.matched++
	}
	return s.matched == len(s.text)
}

// next adds a piece of the text. It returns the text that is decided and was not returned before, and whether a
// sequence follows it. After that the matcher must not be used.
func (m *matcher) next(piece string) (text string, ok bool) {
	undecided := m.size + len(piece) // no sequence that begins before this offset can still be completed
	for i := range m.sequences {
		s := &m.sequences[i]
		for j := range len(piece) {
			if s.step(piece[j]) && m.size+j+1-len(s.text) < m.start {
				m.start, m.match = m.size+j+1-len(s.text), s.text
			}
		}
		undecided = min(undecided, m.size+len(piece)-s.matched)
	}
	m.size += len(piece)
	m.tail += piece
	if m.start <= undecided {
		return m.rest()
	}
	cut := len(m.tail) - (m.size - undecided)
	text, m.tail = m.tail[:cut], m.tail[cut:]
	return text, false
}

// rest returns the text that is held back, up to a sequence in it, and whether it has one.
func (m *matcher) rest() (text string, ok bool) {
	text, m.tail = m.tail, ""
	if m.start == math.MaxInt {
		return text, false
	}
	return text[:len(text)-(m.size-m.start)], true
}
