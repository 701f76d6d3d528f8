package oneapi

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/boot"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
)

// models declares the models that channels serve, with their prices.
func (m *importer) models() {
	for _, id := range slices.Sorted(maps.Keys(m.served)) {
		model := boot.CatalogueModel{ID: id, OwnedBy: m.served[id].owner}
		if rates, ok := m.rates(id, m.served[id]); ok {
			model.Price, model.Free = rates, rates.Check(false) != nil
			if model.Free {
				m.note("model", id, "has a price of nothing: it is declared free")
			}
			m.catalogue.Models = append(m.catalogue.Models, model)
			continue
		}
		m.withdraw(id)
	}
	m.unserved()
}

// withdraw takes a model without a price from the channels.
func (m *importer) withdraw(id string) {
	m.note("model", id, "is not carried over: the dump has no price for it; save the price settings there once, or declare the model by hand")
	delete(m.served, id)
	m.catalogue.Channels = slices.DeleteFunc(m.catalogue.Channels, func(c boot.CatalogueChannel) bool {
		if delete(c.Models, id); len(c.Models) > 0 {
			return false
		}
		m.note("channel", c.Name, "is not carried over: none of its models is")
		return true
	})
}

// unserved tells of models that have a price and no channel.
func (m *importer) unserved() {
	for _, prices := range []table{m.ratios.model, m.ratios.price} {
		var names []string
		for _, name := range slices.Sorted(maps.Keys(prices)) {
			if plain, _, _ := strings.Cut(name, "("); m.served[plain] == nil && m.served[name] == nil {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			m.note("option", "ModelRatio, ModelPrice", "no channel serves these, so they are not carried over: %s", strings.Join(names, ", "))
		}
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
	r.Output = m.amount(id, times(perMillion, m.completionRatio(id, model)))
	if ratio := m.ratios.cache[id]; ratio != nil {
		r.CachedInput = m.amount(id, times(perMillion, ratio))
	}
	if ratio := m.ratios.cacheWrite[id]; ratio != nil {
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

// find looks a model's ratio up as one-api does: under its name with the
// number of the channel's type before its name alone.
func (m *importer) find(in table, id string, model *servedModel) *big.Rat {
	var found *big.Rat
	for _, number := range model.types {
		ratio := in[fmt.Sprintf("%s(%d)", id, number)]
		if ratio == nil {
			ratio = in[id]
		}
		if found == nil {
			found = ratio
		} else if ratio != nil && ratio.Cmp(found) != 0 {
			m.note("model", id, "its price there differs by the type of channel, and here it does not: that of the first channel is taken")
		}
	}
	return found
}

func (m *importer) modelRatio(id string, model *servedModel) (*big.Rat, bool) {
	if ratio := m.find(m.ratios.model, id, model); ratio != nil {
		return ratio, true
	}
	if m.program != oneAPI {
		return nil, false
	}
	if ratio := defaultRatio(id); ratio != nil {
		m.note("model", id, "the dump has no ratio for it: one-api's own of %s is taken, which may differ by its version", decimal(ratio))
		return ratio, true
	}
	m.note("model", id, "the dump has no ratio for it and neither is one known: one-api takes 30 then, which is 60 USD per 1M tokens, and so is it here; correct the price")
	return big.NewRat(30, 1), true
}

func (m *importer) completionRatio(id string, model *servedModel) *big.Rat {
	if ratio := m.find(m.ratios.completion, id, model); ratio != nil {
		return ratio
	}
	if m.program != oneAPI {
		m.note("model", id, "the dump has no completion ratio for it, so its output costs what its input does; correct the price")
		return one
	}
	return defaultCompletion(id)
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
