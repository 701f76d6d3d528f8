package quota

import "github.com/tollgate/tollgate/libs/core/money"

// Caps are the most that an owner may spend in each window; nil: unlimited.
type Caps struct {
	Day, Week, Month *money.Amount
}

// Of returns the cap per period; nil for Lifetime, whose limit is no window's.
func (c Caps) Of(p Period) *money.Amount {
	if at := c.at(p); at != nil {
		return *at
	}
	return nil
}

// Set sets the cap per period. Lifetime has none and is passed over.
func (c *Caps) Set(p Period, amount *money.Amount) {
	if at := c.at(p); at != nil {
		*at = amount
	}
}

func (c *Caps) at(p Period) **money.Amount {
	switch p {
	case Day:
		return &c.Day
	case Week:
		return &c.Week
	case Month:
		return &c.Month
	default:
		return nil
	}
}
