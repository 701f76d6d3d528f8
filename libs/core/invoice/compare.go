package invoice

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/money"
)

// Status is the result of the comparison of a day.
type Status string

// The results.
const (
	Matches Status = "matches" // the amounts agree, see withinTolerance
	Differs Status = "differs"
	Pending Status = "pending" // the provider has not reported the day yet
)

// Reason is the likely cause of a difference. It is a hint: it follows from the counts that both sides report.
type Reason string

// The reasons, in the order in which they are tried.
const (
	// Some of our calls have no supplier cost, because the channel has no cost rates for the model.
	NoRates Reason = "no_rates"
	// The provider charges for something other than our models, such as tools or storage.
	NoModel       Reason = "no_model"
	OtherUse      Reason = "other_use"      // the provider counts calls with other keys or models than ours
	MissingCalls  Reason = "missing_calls"  // the provider counts more than our logs have
	NotCharged    Reason = "not_charged"    // our logs have more than the provider counts
	Estimated     Reason = "estimated"      // our counts differ, and some are estimates
	UnpricedClass Reason = "unpriced_class" // the counts agree, and the provider charges more
	RatesDiffer   Reason = "rates_differ"   // the counts agree, and the provider charges less
	Unknown       Reason = "unknown"        // the provider reports no counts
)

// Own holds the sums of our usage logs for one day, model and key.
type Own struct {
	Model string // id that was sent to the channel
	Key   string // mask of the credential; "" for none

	Cost         money.Amount // sum of the supplier costs that are known
	InputTokens  int64
	OutputTokens int64
	Requests     int64 // calls that reached the provider
	Unpriced     int64 // of these, those with tokens and without a supplier cost
	Estimated    int64 // of these, those whose counts are estimates
}

// add adds another sum.
func (o *Own) add(n *Own) {
	o.Cost += n.Cost
	o.InputTokens += n.InputTokens
	o.OutputTokens += n.OutputTokens
	o.Requests += n.Requests
	o.Unpriced += n.Unpriced
	o.Estimated += n.Estimated
}

// Line compares one model, or one key of a model.
type Line struct {
	Name       string // canonical name of the model, mask of the key, or the provider's id of a key that is not ours
	Ours       bool   // whether it is a model that we called, or a key of the account
	Provider   Figures
	Own        Own
	Difference *money.Amount // the provider's amount less ours; nil if the provider states no amount
	Status     Status
	Reason     Reason // "" if nothing differs
	Keys       []Line // of a model; empty if the account has no keys
}

// Comparison is the result for one day.
type Comparison struct {
	Status     Status
	Reason     Reason // of the largest difference; "" if nothing differs
	Provider   Figures
	Own        Own
	Difference money.Amount // 0 while Pending
	Lines      []Line       // by model, the largest difference first
}

// withinTolerance reports whether two amounts agree: they differ by at most one cent or half a percent of the larger
// one. Providers round, and they put a call at midnight on another day than our clock does.
func withinTolerance(a, b money.Amount) bool {
	d := distance(int64(a), int64(b))
	return d <= uint64(money.USD/100) || d <= max(magnitude(int64(a)), magnitude(int64(b)))/200
}

// near reports whether two counts agree: they differ by at most half a percent of the larger one.
func near(a, b int64) bool {
	return distance(a, b) <= max(magnitude(a), magnitude(b))/200
}

// distance returns |a-b|, which always fits a uint64.
func distance(a, b int64) uint64 {
	if a < b {
		a, b = b, a
	}
	return uint64(a) - uint64(b)
}

func magnitude(a int64) uint64 { return distance(a, 0) }

// Compare compares the charges of one day with our own sums. reported says whether the provider has reported the day.
// Both sides are grouped by the canonical name of the model. With keys in the account, each model is also compared by
// key, and only calls with these keys count as ours.
func Compare(a *Account, reported bool, charges []Charge, own []Own) Comparison { //nolint:revive // reported is a fact of the day
	masks := map[string]string{}
	ours := map[string]bool{}
	for _, key := range a.Keys {
		masks[key.ID], ours[key.Mask] = key.Mask, true
	}
	models := map[string]*model{}
	modelOf := func(name string) *model {
		name = Canonical(name)
		if models[name] == nil {
			models[name] = &model{keys: map[string]*sums{}}
		}
		return models[name]
	}
	var total sums
	for i := range charges {
		m, key := modelOf(charges[i].Model), charges[i].Key
		if mask, ok := masks[key]; ok {
			key = mask
		}
		for _, s := range []*sums{&total, &m.sums, m.keySums(key)} {
			s.addCharge(&charges[i].Figures)
		}
		m.hasOtherKeys = m.hasOtherKeys || len(a.Keys) > 0 && key != "" && !ours[key]
	}
	for i := range own {
		if len(a.Keys) > 0 && !ours[own[i].Key] {
			continue
		}
		m := modelOf(own[i].Model)
		for _, s := range []*sums{&total, &m.sums, m.keySums(own[i].Key)} {
			s.own.add(&own[i])
		}
	}
	c := Comparison{Provider: total.figures, Own: total.own, Status: Pending}
	for name, m := range models {
		line := m.line(name, reported)
		if len(a.Keys) > 0 {
			line.Keys = m.lines(ours, reported)
		}
		c.Lines = append(c.Lines, line)
	}
	slices.SortFunc(c.Lines, byDifference)
	if !reported {
		return c
	}
	amount := valueOrZero(total.figures.Amount)
	c.Difference = minus(amount, total.own.Cost)
	if c.Status = Matches; !withinTolerance(amount, total.own.Cost) {
		c.Status, c.Reason = Differs, reasonOf(c.Lines, c.Difference)
	}
	return c
}

// reasonOf returns the reason of the line that explains most of the day's difference: the largest one of the same sign.
func reasonOf(lines []Line, difference money.Amount) Reason {
	for i := range lines {
		if d := lines[i].Difference; d != nil && (*d > 0) == (difference > 0) && lines[i].Reason != "" {
			return lines[i].Reason
		}
	}
	return Unknown
}

// byDifference orders lines by their difference, the largest first, and then by name.
func byDifference(a, b Line) int {
	return cmp.Or(
		cmp.Compare(magnitude(int64(valueOrZero(b.Difference))), magnitude(int64(valueOrZero(a.Difference)))),
		cmp.Compare(magnitude(int64(b.Own.Cost)), magnitude(int64(a.Own.Cost))),
		strings.Compare(a.Name, b.Name),
	)
}

// sums holds the provider's and our own sums of a day, a model or a key.
type sums struct {
	figures Figures // of the provider
	own     Own
}

// addCharge adds those of the provider's figures that are known.
func (s *sums) addCharge(f *Figures) {
	if f.Amount != nil {
		s.figures.Amount = plus(s.figures.Amount, *f.Amount)
	}
	if f.InputTokens != nil {
		s.figures.InputTokens = plus(s.figures.InputTokens, *f.InputTokens)
	}
	if f.OutputTokens != nil {
		s.figures.OutputTokens = plus(s.figures.OutputTokens, *f.OutputTokens)
	}
	if f.Requests != nil {
		s.figures.Requests = plus(s.figures.Requests, *f.Requests)
	}
}

// plus returns a pointer to *a + b, where nil counts as 0. It stops at the ends of the range: a wrapped sum could agree
// with ours by chance.
func plus[T ~int64](a *T, b T) *T {
	total := valueOrZero(a) + b
	switch {
	case b > 0 && total < valueOrZero(a):
		total = math.MaxInt64
	case b < 0 && total > valueOrZero(a):
		total = -math.MaxInt64
	}
	return &total
}

func valueOrZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// minus returns a-b, limited to the range of an Amount.
func minus(a, b money.Amount) money.Amount {
	d := a - b
	switch {
	case b > 0 && d > a:
		return -money.Max
	case b < 0 && d < a:
		return money.Max
	}
	return d
}

// model holds the sums of one model.
type model struct {
	sums
	keys         map[string]*sums
	hasOtherKeys bool // the provider counts calls with a key that the account does not list
}

func (m *model) keySums(name string) *sums {
	if m.keys[name] == nil {
		m.keys[name] = &sums{}
	}
	return m.keys[name]
}

// line compares the model.
func (m *model) line(name string, reported bool) Line {
	l := m.compare(name, reported)
	l.Ours = m.own.Requests > 0
	l.Reason = l.reason(m.hasOtherKeys)
	return l
}

// lines compares the keys of the model.
func (m *model) lines(ours map[string]bool, reported bool) []Line {
	var lines []Line
	for name, s := range m.keys {
		if name == "" && s.own.Requests == 0 && s.figures.InputTokens == nil && s.figures.Requests == nil {
			continue // amounts that the provider attributes to no key are in the line of the model
		}
		l := s.compare(name, reported)
		l.Ours = ours[name]
		l.Reason = l.reason(!l.Ours)
		lines = append(lines, l)
	}
	slices.SortFunc(lines, byDifference)
	return lines
}

// compare compares the provider's amount with ours.
func (s *sums) compare(name string, reported bool) Line { //nolint:revive // reported is a fact of the day
	l := Line{Name: name, Provider: s.figures, Own: s.own, Status: Pending}
	if !reported {
		return l
	}
	if s.figures.Amount == nil && s.own.Cost != 0 && s.figures.InputTokens != nil {
		l.Status = Matches // the provider counts tokens here, and states the amount elsewhere
		if !l.agrees() {
			l.Status = Differs
		}
		return l
	}
	d := minus(valueOrZero(s.figures.Amount), s.own.Cost)
	l.Difference, l.Status = &d, Matches
	if !withinTolerance(valueOrZero(s.figures.Amount), s.own.Cost) {
		l.Status = Differs
	}
	return l
}

// hasCounts reports whether the provider reports counts.
func (l *Line) hasCounts() bool { return l.Provider.InputTokens != nil || l.Provider.Requests != nil }

// agrees reports whether all counts that the provider reports agree with ours.
func (l *Line) agrees() bool { return !l.providerHasMore() && !l.providerHasFewer() }

// providerHasMore reports whether the provider counts more than our logs, in a count that does not agree.
func (l *Line) providerHasMore() bool {
	return l.anyDiffering(func(theirs, ours int64) bool { return theirs > ours })
}

// providerHasFewer reports whether our logs have more than the provider counts, in a count that does not agree.
func (l *Line) providerHasFewer() bool {
	return l.anyDiffering(func(theirs, ours int64) bool { return theirs < ours })
}

// anyDiffering reports whether the comparison holds for one of the counts that do not agree.
func (l *Line) anyDiffering(holds func(theirs, ours int64) bool) bool {
	for _, c := range []struct {
		theirs *int64
		ours   int64
	}{
		{l.Provider.InputTokens, l.Own.InputTokens}, {l.Provider.OutputTokens, l.Own.OutputTokens},
		{l.Provider.Requests, l.Own.Requests},
	} {
		if c.theirs != nil && !near(*c.theirs, c.ours) && holds(*c.theirs, c.ours) {
			return true
		}
	}
	return false
}

// reason returns the likely reason of the line's difference. hasOtherKeys says whether the provider counts calls with
// keys that are not ours.
func (l *Line) reason(hasOtherKeys bool) Reason {
	costsMore := l.Difference == nil || *l.Difference > 0
	switch {
	case l.Status != Differs:
		return ""
	case l.Own.Requests == 0 && !l.hasCounts():
		return NoModel
	case l.Own.Requests == 0 || hasOtherKeys && l.providerHasMore():
		return OtherUse
	case l.Own.Unpriced > 0 && costsMore:
		return NoRates
	case l.Own.Estimated > 0 && !l.agrees():
		return Estimated
	case l.providerHasMore() && costsMore:
		return MissingCalls
	case l.providerHasFewer() && !costsMore || !l.hasCounts() && l.Provider.Amount == nil:
		return NotCharged
	case !l.hasCounts():
		return Unknown
	case costsMore:
		return UnpricedClass
	}
	return RatesDiffer
}
