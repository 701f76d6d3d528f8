package quota

import "github.com/tollgate/tollgate/libs/core/money"

// Caps are the budgets of a tenant, user or token: the most that it may spend in each day, week and month. nil means
// unlimited.
type Caps struct {
	Day, Week, Month *money.Amount
}

// Of returns the cap of the period. It returns nil for Lifetime, which is not a windowed limit.
func (c Caps) Of(p Period) *money.Amount {
	if field := c.field(p); field != nil {
		return *field
	}
	return nil
}

// Set sets the cap of the period; nil removes it. It does nothing for Lifetime.
func (c *Caps) Set(p Period, amount *money.Amount) {
	if field := c.field(p); field != nil {
		*field = amount
	}
}

// field returns the field of the period, or nil for Lifetime.
func (c *Caps) field(p Period) **money.Amount {
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
