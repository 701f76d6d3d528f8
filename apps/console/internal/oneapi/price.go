package oneapi

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/manifest"
)

// models declares the models that channels serve, with their prices.
func (m *importer) models() {
	m.unserved()
	for _, id := range slices.Sorted(maps.Keys(m.served)) {
		model := manifest.Model{ID: id, OwnedBy: m.served[id].owner}
		if m.expressions[id] {
			m.withdraw(id, "its price there is an expression; declare the model by hand")
			continue
		}
		if rates, ok := m.rates(id, m.served[id]); ok {
			model.Price, model.Free = rates, rates.Check(false) != nil
			if model.Free {
				m.note("model", id, "has a price of nothing: it is declared free")
			}
			m.manifest.Models = append(m.manifest.Models, model)
			continue
		}
		m.withdraw(id, "the dump has no price for it; save the price settings there once, or declare the model by hand")
	}
	m.unsaid()
}

// withdraw takes a model without a price from the channels.
func (m *importer) withdraw(id, why string) {
	m.note("model", id, "is not carried over: %s", why)
	delete(m.served, id)
	m.manifest.Channels = slices.DeleteFunc(m.manifest.Channels, func(c manifest.Channel) bool {
		if delete(c.Models, id); len(c.Models) > 0 {
			return false
		}
		m.note("channel", c.Name, "is not carried over: none of its models is")
		return true
	})
}

// unserved tells of models that have a price and no channel.
func (m *importer) unserved() {
	priced := map[string]bool{}
	for _, model := range m.served {
		for _, as := range model.as {
			priced[as.name] = true
		}
	}
	for _, prices := range []table{m.ratios.model, m.ratios.price} {
		var names []string
		for _, name := range slices.Sorted(maps.Keys(prices)) {
			if plain, _, _ := strings.Cut(name, "("); !priced[plain] && !priced[name] {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			m.note("option", "ModelRatio, ModelPrice", "no channel serves these, so they are not carried over: %s", strings.Join(names, ", "))
		}
	}
}

// unsaid tells of ratios for which new-api has its own while nobody saved any.
func (m *importer) unsaid() {
	if m.program == newAPI && len(m.served) > 0 && m.ratios.cache == nil {
		m.note("option", "CacheRatio", "is not in the dump, so new-api took its own: cached input costs here what input does; save the price settings there once, or correct the prices")
	}
}

// rates are what a model costs; ok is false where nobody knows.
func (m *importer) rates(id string, model *servedModel) (r pricing.Rates, ok bool) {
	if price := m.ratios.price[id]; price != nil {
		r.Request = m.amount(id, price)
		return r, true
	}
	input, ok := m.modelRatio(id, model)
	if !ok {
		return r, false
	}
	// One unit for each token at a ratio of one.
	perMillion := new(big.Rat).Mul(input, m.usd(1_000_000))
	r.Input = m.amount(id, perMillion)
	if r.Output = m.amount(id, new(big.Rat)); input.Sign() > 0 {
		r.Output = m.amount(id, times(perMillion, m.completionRatio(id, model)))
	}
	if ratio := m.ratios.cache[id]; ratio != nil {
		r.CachedInput = m.amount(id, times(perMillion, ratio))
	}
	if ratio := m.cacheWrite(id, model); ratio != nil {
		r.CacheWrite = m.amount(id, times(perMillion, ratio))
	}
	if ratio := m.ratios.audio[id]; ratio != nil {
		r.AudioInput = m.amount(id, times(perMillion, ratio))
		r.AudioOutput = m.amount(id, times(times(perMillion, ratio), or(m.ratios.audioOut[id], one)))
	}
	return r, true
}

var one = big.NewRat(1, 1)

func times(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }

func or(given, otherwise *big.Rat) *big.Rat {
	if given != nil {
		return given
	}
	return otherwise
}

// cacheWrite returns nil where writing into a cache costs what input does.
func (m *importer) cacheWrite(id string, model *servedModel) *big.Rat {
	anthropic := slices.ContainsFunc(model.as, func(as pricedAs) bool { return shared[as.channelType].kind == "anthropic" })
	if ratio := m.ratios.cacheWrite[id]; ratio != nil || m.program == oneAPI || !anthropic {
		return ratio
	}
	return big.NewRat(5, 4) // new-api's, for all that no option names
}

// in looks a ratio up as one-api does: under the model's name with the number of
// the channel's type before its name alone.
func (a pricedAs) in(ratios table) *big.Rat {
	if ratio := ratios[fmt.Sprintf("%s(%d)", a.name, a.channelType)]; ratio != nil {
		return ratio
	}
	return ratios[a.name]
}

// first returns what the first channel's price is made of, and tells where that
// of another differs.
func (m *importer) first(id string, model *servedModel, ratio func(pricedAs) *big.Rat) *big.Rat {
	found := ratio(model.as[0])
	for _, as := range model.as[1:] {
		if other := ratio(as); other.Cmp(found) != 0 && !model.differs {
			model.differs = true
			m.note("model", id, "its price there differs by the channel, and here it does not: that of the first channel is taken")
		}
	}
	return found
}

func (m *importer) modelRatio(id string, model *servedModel) (*big.Rat, bool) {
	if m.program != oneAPI {
		return m.ratios.model[id], m.ratios.model[id] != nil
	}
	ratio := m.first(id, model, func(as pricedAs) *big.Rat {
		return or(as.in(m.ratios.model), or(defaultRatio(as.name), fallback))
	})
	switch name := model.as[0].name; {
	case model.as[0].in(m.ratios.model) != nil:
	case defaultRatio(name) != nil:
		m.note("model", id, "the dump has no ratio for %s: one-api's own of %s is taken, which may differ by its version", nameOr(other(name, id), "it"), decimal(ratio))
	default:
		m.note("model", id, "the dump has no ratio for %s and neither is one known: one-api takes 30 then, which is 60 USD per 1M tokens, and so is it here; correct the price", nameOr(other(name, id), "it"))
	}
	return ratio, true
}

// fallback is one-api's ratio of a model that it does not know.
var fallback = big.NewRat(30, 1)

// other returns name where it is not the id.
func other(name, id string) string {
	if name == id {
		return ""
	}
	return name
}

func (m *importer) completionRatio(id string, model *servedModel) *big.Rat {
	if m.program == oneAPI {
		return m.first(id, model, func(as pricedAs) *big.Rat { return or(as.in(m.ratios.completion), defaultCompletion(as.name)) })
	}
	own, fixed := ownCompletion(id)
	said := m.ratios.completion[id]
	if said != nil && (!fixed || strings.Contains(id, "/")) {
		return said
	}
	m.note("model", id, "its completion ratio is new-api's own of %s, which may differ by its version", decimal(own))
	return own
}

// decimal writes a ratio without needless zeros.
func decimal(r *big.Rat) string {
	return strings.TrimSuffix(strings.TrimRight(r.FloatString(12), "0"), ".")
}

var nano = big.NewRat(int64(money.USD), 1)

// amount rounds a price half up to a nano-dollar, and tells where it had to.
func (m *importer) amount(id string, usd *big.Rat) *money.Amount {
	amount, exact := rounded(usd)
	if !exact {
		m.note("model", id, "a price of %s USD is rounded to %s", decimal(usd), amount)
	}
	return &amount
}

// rounded is the nearest amount; exact is false for another than usd.
func rounded(usd *big.Rat) (amount money.Amount, exact bool) {
	exactly := new(big.Rat).Mul(usd, nano)
	twice := new(big.Int).Add(new(big.Int).Mul(exactly.Num(), big.NewInt(2)), exactly.Denom())
	n := twice.Div(twice, new(big.Int).Mul(exactly.Denom(), big.NewInt(2)))
	if !n.IsInt64() {
		return money.Max, false
	}
	return money.Amount(n.Int64()), exactly.IsInt()
}
