// Package money defines amounts of money and the factors that multiply them. An Amount is an int64 count of
// nano-dollars, so sums are exact; nothing here uses floating-point numbers. README.md has the rules of range,
// format and rounding.
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

// One is the factor 1.
const One Factor = 1_000_000_000

const decimals = 9

// The errors of Parse and ParseFactor. Package pricing also returns ErrRange for costs that are too large.
var (
	ErrSyntax   = errors.New("not a decimal number")
	ErrTooFine  = errors.New("more than 9 decimals")
	ErrRange    = errors.New("number out of range")
	ErrNegative = errors.New("must not be negative")
)

// Parse returns the amount that a decimal string of USD denotes, such as "0.15", "-3" or "12.000000001". Exponents,
// signs other than a leading '-', blanks, and more than 9 decimals (trailing zeros not counted) are errors.
func Parse(s string) (Amount, error) {
	n, err := parse(s)
	return Amount(n), err
}

// ParseFactor returns the factor that a non-negative decimal string such as "0.85" denotes. It accepts the syntax
// of Parse.
func ParseFactor(s string) (Factor, error) {
	n, err := parse(s)
	if err == nil && n < 0 {
		err = fmt.Errorf("%q: %w", s, ErrNegative)
	}
	return Factor(n), err
}

// parse returns the number that s denotes, in billionths.
func parse(s string) (int64, error) {
	digits, negative := strings.CutPrefix(s, "-")
	integer, fraction, hasPoint := strings.Cut(digits, ".")
	if integer == "" || hasPoint && fraction == "" || !isDigits(integer) || !isDigits(fraction) {
		return 0, fmt.Errorf("%q: %w", s, ErrSyntax)
	}
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > decimals {
		return 0, fmt.Errorf("%q: %w", s, ErrTooFine)
	}
	var n int64 // -|s|: the smallest int64 has no positive counterpart, so only negative numbers cover the range
	for _, digit := range []byte(integer + fraction + strings.Repeat("0", decimals-len(fraction))) {
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

// String returns the shortest decimal of USD that Parse parses as the same amount.
func (a Amount) String() string { return format(int64(a)) }

// String returns the shortest decimal that ParseFactor parses as the same factor.
func (f Factor) String() string { return format(int64(f)) }

// format returns n billionths as a decimal. It allocates only the result: it runs for each amount of each answer.
func format(n int64) string {
	text := make([]byte, 0, len("-9223372036.854775808"))
	magnitude := uint64(n)
	if n < 0 {
		text, magnitude = append(text, '-'), -magnitude
	}
	text = strconv.AppendUint(text, magnitude/uint64(USD), 10)
	if fraction := magnitude % uint64(USD); fraction != 0 {
		point := len(text)
		// The leading 1 keeps leading zeros; the point replaces it.
		text = strconv.AppendUint(text, uint64(USD)+fraction, 10)
		text[point] = '.'
		text = bytes.TrimRight(text, "0")
	}
	return string(text)
}

// MarshalText returns the decimal of String. encoding/json uses it.
func (a Amount) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText sets a to the amount that Parse returns for text.
func (a *Amount) UnmarshalText(text []byte) (err error) {
	*a, err = Parse(string(text))
	return err
}

// MarshalText returns the decimal of String. encoding/json uses it.
func (f Factor) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText sets f to the factor that ParseFactor returns for text.
func (f *Factor) UnmarshalText(text []byte) (err error) {
	*f, err = ParseFactor(string(text))
	return err
}

// Add returns a+b, or Max if the sum would overflow. Both must be at least 0. It is for upper bounds, where a sum
// that wrapped around would admit a call that nobody can pay.
func Add(a, b Amount) Amount {
	if a > Max-b {
		return Max
	}
	return a + b
}
