package rawjson

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxCount bounds a Count. A larger number is not plausible.
const MaxCount = 1 << 40

// Count is a number of tokens or calls that an upstream reports. A value that is not a number from 0 to MaxCount is
// read as -1, so that it neither fails the response nor overflows a sum; null is 0. A fraction is cut off.
type Count int64

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (c *Count) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*c = -1
	raw, err := dec.ReadValue()
	switch {
	case err != nil:
		return err
	case raw.Kind() == 'n':
		*c = 0
	case raw.Kind() == '0':
		// Exact up to MaxCount.
		if n, err := strconv.ParseFloat(string(raw), 64); err == nil && n >= 0 && n <= MaxCount {
			*c = Count(n)
		}
	}
	return nil
}

// OrZero returns the count, or 0 if it is not plausible.
func (c Count) OrZero() int64 { return max(int64(c), 0) }

// Lenient is a part of an answer that the call does not depend on, such as its usage. A value that is not a T is read
// as the zero value, so that it does not fail the response.
type Lenient[T any] struct{ Value T }

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (l *Lenient[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	var value T
	if json.Unmarshal(raw, &value, dec.Options()) != nil {
		value = *new(T)
	}
	l.Value = value
	return nil
}

// Word is a name that an upstream reports. A value that is not a string is read as "".
type Word string

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (w *Word) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*w = ""
	if dec.PeekKind() != '"' {
		return dec.SkipValue()
	}
	text, err := dec.ReadToken()
	if err == nil {
		*w = Word(text.String())
	}
	return err
}
