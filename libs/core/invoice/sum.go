package invoice

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tollgate/tollgate/libs/core/money"
)

// The bounds of a decimal that a provider states. They keep the exact arithmetic small: 1e1000000000 would fill the
// memory.
const (
	maxDigits   = 80 // characters of the text
	maxExponent = 40
)

// errDecimal means that a text is no decimal number within the bounds.
var errDecimal = errors.New("not a decimal number of at most 80 characters")

// Decimal is the text of a decimal number as a provider states it: a JSON number or a JSON string, with any number of
// decimals and an optional exponent. Decoding never goes through a floating-point number. "" stands for null.
type Decimal string

// UnmarshalJSON accepts a number, a string that holds a number, and null.
func (d *Decimal) UnmarshalJSON(raw []byte) error {
	text := string(raw)
	if text == "null" {
		*d = ""
		return nil
	}
	if len(raw) > 0 && raw[0] == '"' {
		if err := json.Unmarshal(raw, &text); err != nil {
			return errDecimal
		}
	}
	if !isDecimal(text) {
		return errDecimal
	}
	*d = Decimal(text)
	return nil
}

// rat returns the exact value, or errDecimal.
func (d Decimal) rat() (*big.Rat, error) {
	if !isDecimal(string(d)) {
		return nil, errDecimal
	}
	value, ok := new(big.Rat).SetString(string(d))
	if !ok {
		return nil, errDecimal
	}
	return value, nil
}

// Count returns the number as a count: a whole number from 0 to 10^15, in any notation. "" is 0.
func (d Decimal) Count() (int64, error) {
	if d == "" {
		return 0, nil
	}
	value, err := d.rat()
	if err != nil {
		return 0, err
	}
	if !value.IsInt() || value.Sign() < 0 || !value.Num().IsInt64() || value.Num().Int64() > maxCount {
		return 0, fmt.Errorf("%q is not a count", string(d))
	}
	return value.Num().Int64(), nil
}

// maxCount bounds counts, so that sums of 100,000 of them stay within an int64 with care, see addCount.
const maxCount = 1_000_000_000_000_000

// isDecimal reports whether the text is an optional minus, digits, an optional fraction and an optional exponent.
func isDecimal(text string) bool {
	if text == "" || len(text) > maxDigits {
		return false
	}
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(strings.TrimPrefix(text, "-")), "e")
	integer, fraction, hasPoint := strings.Cut(mantissa, ".")
	if !isDigits(integer) || hasPoint && !isDigits(fraction) {
		return false
	}
	if !hasExponent {
		return true
	}
	n, err := strconv.Atoi(exponent)
	return err == nil && n >= -maxExponent && n <= maxExponent
}

func isDigits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// Sum adds up decimals exactly. The zero value is an empty sum.
type Sum struct{ total big.Rat }

// Unit is the unit in which a provider states amounts: the number of them in a dollar.
type Unit int64

// The units.
const (
	Dollars Unit = 1
	Cents   Unit = 100
)

// Add adds a decimal in the unit. "" adds nothing.
func (s *Sum) Add(d Decimal, unit Unit) error {
	if d == "" {
		return nil
	}
	value, err := d.rat()
	if err != nil {
		return err
	}
	s.total.Add(&s.total, value.Quo(value, new(big.Rat).SetInt64(int64(unit))))
	return nil
}

// Amount returns the sum, rounded half up to a nano-dollar, or money.ErrRange.
func (s *Sum) Amount() (money.Amount, error) {
	nanos := new(big.Rat).Mul(&s.total, new(big.Rat).SetInt64(int64(money.USD)))
	nanos.Add(nanos, big.NewRat(1, 2))
	rounded := new(big.Int).Div(nanos.Num(), nanos.Denom()) // rounds down, because the denominator is positive
	if !rounded.IsInt64() || rounded.Int64() == math.MinInt64 {
		return 0, money.ErrRange
	}
	return money.Amount(rounded.Int64()), nil
}

// Book collects the charges of a report. Charges of the same day, model and key are added up. Use NewBook.
type Book struct {
	max  int
	days map[Day]bool
	rows map[chargeKey]*entry
}

// chargeKey identifies a charge.
type chargeKey struct {
	day        Day
	model, key string
}

// entry holds the sums of one charge.
type entry struct {
	amount                            Sum
	hasAmount, hasTokens, hasRequests bool // whether the provider reports them
	input, output, requests           int64
}

// NewBook returns an empty book that takes charges of at most so many days, models and keys.
func NewBook(maxRows int) *Book { return &Book{maxRows, map[Day]bool{}, map[chargeKey]*entry{}} }

// Mark records that the day was reported, even if there are no charges.
func (b *Book) Mark(d Day) { b.days[d] = true }

// Charge adds an amount in the unit, and marks the day.
func (b *Book) Charge(day Day, model, key string, amount Decimal, unit Unit) error {
	e, err := b.entry(day, model, key)
	if err != nil {
		return err
	}
	e.hasAmount, b.days[day] = true, true
	return e.amount.Add(amount, unit)
}

// Tokens adds counts of tokens.
func (b *Book) Tokens(day Day, model, key string, input, output int64) error {
	e, err := b.entry(day, model, key)
	if err != nil {
		return err
	}
	e.hasTokens = true
	return errors.Join(addCount(&e.input, input), addCount(&e.output, output))
}

// Requests adds a number of requests.
func (b *Book) Requests(day Day, model, key string, n int64) error {
	e, err := b.entry(day, model, key)
	if err != nil {
		return err
	}
	e.hasRequests = true
	return addCount(&e.requests, n)
}

// errTooMany means that a report has more rows than the book takes.
var errTooMany = errors.New("the report has too many days, models and keys")

// entry returns the entry of a day, model and key. It adds one if there is none.
func (b *Book) entry(day Day, model, key string) (*entry, error) {
	k := chargeKey{day, cleanText(model), cleanText(key)}
	if e := b.rows[k]; e != nil {
		return e, nil
	}
	if len(b.rows) >= b.max {
		return nil, errTooMany
	}
	e := &entry{}
	b.rows[k] = e
	return e, nil
}

// addCount adds a count that is not negative, unless the sum would overflow.
func addCount(to *int64, n int64) error {
	if n < 0 || *to > math.MaxInt64-n {
		return money.ErrRange
	}
	*to += n
	return nil
}

// Report returns the charges of the marked days, in no particular order. It leaves out the other days: with tokens and
// without amounts, their calls would look as if they cost nothing.
func (b *Book) Report() (Report, error) {
	r := Report{Days: b.days, Charges: make([]Charge, 0, len(b.rows))}
	for k, e := range b.rows {
		if !b.days[k.day] {
			continue
		}
		c := Charge{Day: k.day, Model: k.model, Key: k.key}
		if e.hasAmount {
			amount, err := e.amount.Amount()
			if err != nil {
				return Report{}, fmt.Errorf("amount of %s %q: %w", k.day, k.model, err)
			}
			c.Amount = &amount
		}
		if e.hasTokens {
			c.InputTokens, c.OutputTokens = &e.input, &e.output
		}
		if e.hasRequests {
			c.Requests = &e.requests
		}
		r.Charges = append(r.Charges, c)
	}
	return r, nil
}

// cleanText returns the text without control characters and malformed UTF-8, cut to 200 characters.
func cleanText(s string) string {
	clean := strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	if utf8.RuneCountInString(clean) > maxText {
		clean = string([]rune(clean)[:maxText])
	}
	return clean
}
