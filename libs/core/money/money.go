// Package money holds amounts of quota and the factors they are multiplied
// with. An Amount is an int64 count of nano-dollars; floats do not occur.
package money

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Amount is a sum of money in nano-dollars (10^-9 USD). It may be negative.
// In JSON it is a decimal string of USD such as "0.00015".
type Amount int64

// USD is one dollar.
const USD Amount = 1_000_000_000

// Max is the largest Amount, about 9.2 billion USD.
const Max Amount = math.MaxInt64

// Factor is a non-negative multiplier in billionths: 1.0 is One.
// In JSON it is a decimal string such as "0.85".
type Factor int64

// One leaves an amount as it is.
const One Factor = 1_000_000_000

const decimals = 9

// Errors of Parse and ParseFactor.
var (
	ErrSyntax   = errors.New("not a decimal number")
	ErrTooFine  = errors.New("more than 9 decimals")
	ErrRange    = errors.New("number out of range")
	ErrNegative = errors.New("must not be negative")
)

// Parse reads a decimal string of USD such as "0.15", "-3" or "12.000000001".
// Exponents, signs other than a leading '-', blanks and more than 9 decimals
// are errors.
func Parse(s string) (Amount, error) {
	n, err := parse(s)
	return Amount(n), err
}

// ParseFactor reads a non-negative decimal string such as "0.85".
func ParseFactor(s string) (Factor, error) {
	n, err := parse(s)
	if err == nil && n < 0 {
		err = fmt.Errorf("%q: %w", s, ErrNegative)
	}
	return Factor(n), err
}

func parse(s string) (int64, error) {
	digits, negative := strings.CutPrefix(s, "-")
	whole, fraction, pointed := strings.Cut(digits, ".")
	if whole == "" || pointed && fraction == "" || !isDigits(whole) || !isDigits(fraction) {
		return 0, fmt.Errorf("%q: %w", s, ErrSyntax)
	}
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > decimals {
		return 0, fmt.Errorf("%q: %w", s, ErrTooFine)
	}
	var n int64 // counted downwards: the least int64 has no positive counterpart
	for _, digit := range []byte(whole + fraction + strings.Repeat("0", decimals-len(fraction))) {
		d := int64(digit - '0')
		if n < (math.MinInt64+d)/10 {
			return 0, fmt.Errorf("%q: %w", s, ErrRange)
		}
		n = n*10 - d
	}
	if negative {
		return n, nil
	}
	if n == math.MinInt64 {
		return 0, fmt.Errorf("%q: %w", s, ErrRange)
	}
	return -n, nil
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// String returns the shortest decimal of USD that Parse reads back.
func (a Amount) String() string { return format(int64(a)) }

// String returns the shortest decimal that ParseFactor reads back.
func (f Factor) String() string { return format(int64(f)) }

func format(n int64) string {
	room := make([]byte, 0, len("-9223372036.854775808"))
	magnitude := uint64(n)
	if n < 0 {
		room, magnitude = append(room, '-'), -magnitude
	}
	room = strconv.AppendUint(room, magnitude/uint64(USD), 10)
	if fraction := magnitude % uint64(USD); fraction != 0 {
		point := len(room)
		room = strconv.AppendUint(room, uint64(USD)+fraction, 10) // its leading 1 keeps the zeros, and makes room for the point
		room[point] = '.'
		room = bytes.TrimRight(room, "0")
	}
	return string(room)
}

// MarshalText writes the decimal of String.
func (a Amount) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads what Parse reads.
func (a *Amount) UnmarshalText(text []byte) (err error) {
	*a, err = Parse(string(text))
	return err
}

// MarshalText writes the decimal of String.
func (f Factor) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what ParseFactor reads.
func (f *Factor) UnmarshalText(text []byte) (err error) {
	*f, err = ParseFactor(string(text))
	return err
}

// Add returns a+b, or Max where the sum would overflow. Both must be >= 0.
func Add(a, b Amount) Amount {
	if a > Max-b {
		return Max
	}
	return a + b
}
