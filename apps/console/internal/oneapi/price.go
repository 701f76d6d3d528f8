package oneapi

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/manifest"
)

// declareModels declares the models that imported channels serve, with their prices. A model whose
// price is not known is removed from its channels: a model without a price cannot be used.
func (m *importer) declareModels() {
	m.noteUnserved()
	for _, id := range slices.Sorted(maps.Keys(m.servedModels)) {
		model := manifest.Model{ID: id, OwnedBy: m.servedModels[id].owner}
		if m.expressions[id] {
			m.dropModel(id, "its price is an expression; declare the model by hand")
			continue
		}
		if rates, ok := m.rates(id, m.servedModels[id]); ok {
			// Check refuses a price of zero for models that are not free, so such a model is declared free.
			model.Price, model.Free = rates, problem.Is(rates.Check(false), problem.MissingParameter)
			if model.Free {
				m.note("model", id, "has a price of 0: it is declared free")
			}
			m.manifest.Models = append(m.manifest.Models, model)
			continue
		}
		m.dropModel(id, "the dump has no price for it; save the price settings in the old program once and dump "+
			"again, or declare the model by hand")
	}
	m.noteDefaultCachePrices()
}

// dropModel removes a model from the channels, and removes channels that then serve no model.
func (m *importer) dropModel(id, reason string) {
	m.note("model", id, "is not imported: %s", reason)
	delete(m.servedModels, id)
	m.manifest.Channels = slices.DeleteFunc(m.manifest.Channels, func(c manifest.Channel) bool {
		if delete(c.Models, id); len(c.Models) > 0 {
			return false
		}
		m.note("channel", c.Name, "is not imported: none of its models is")
		return true
	})
}

// noteUnserved adds notes for models that have a price and no channel.
func (m *importer) noteUnserved() {
	uses := map[string]bool{}
	for _, model := range m.servedModels {
		for _, key := range model.priceKeys {
			uses[key.name] = true
		}
	}
	for _, prices := range []table{m.ratios.model, m.ratios.price} {
		var names []string
		for _, name := range slices.Sorted(maps.Keys(prices)) {
			if base, _, _ := strings.Cut(name, "("); !uses[base] && !uses[name] {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			m.note("option", "ModelRatio, ModelPrice",
				"these models are not imported because no channel serves them: %s", strings.Join(names, ", "))
		}
	}
}

// noteDefaultCachePrices adds a note if a new-api dump lacks the prices of
// cached input. new-api then uses defaults that this package does not know.
func (m *importer) noteDefaultCachePrices() {
	if m.program == newAPI && len(m.servedModels) > 0 && m.ratios.cache == nil {
		m.note("option", "CacheRatio", "is not in the dump, so new-api used its defaults: in Tollgate cached input "+
			"costs as much as input; save the price settings in new-api once and dump again, or correct the prices")
	}
}

// rates returns the price of a model. ok is false if it is not known.
func (m *importer) rates(id string, model *servedModel) (r pricing.Rates, ok bool) {
	if price := m.ratios.price[id]; price != nil {
		r.Request = m.amount(id, price)
		return r, true
	}
	input, ok := m.modelRatio(id, model)
	if !ok {
		return r, false
	}
	// At a ratio of 1, a token costs one unit of quota.
	perMillion := new(big.Rat).Mul(input, m.usd(1_000_000))
	r.Input = m.amount(id, perMillion)
	// With a free input, the completion ratio must not be looked up: it could add a note without effect.
	if r.Output = m.amount(id, new(big.Rat)); input.Sign() > 0 {
		r.Output = m.amount(id, times(perMillion, m.completionRatio(id, model)))
	}
	if ratio := m.ratios.cache[id]; ratio != nil {
		r.CachedInput = m.amount(id, times(perMillion, ratio))
	}
	if ratio := m.cacheWrite(id, model); ratio != nil {
		r.CacheWrite = m.amount(id, times(perMillion, ratio))
		if m.program == newAPI {
			r.CacheWrite1h = m.amount(id, times(times(perMillion, ratio), oneHourRatio))
		}
	}
	if ratio := m.audioRatio(id, "audio ratio", m.ratios.audio, newAPIAudioRatios); ratio != nil {
		audio := times(perMillion, ratio)
		out := m.audioRatio(id, "audio completion ratio", m.ratios.audioOut, newAPIAudioCompletionRatios)
		r.AudioInput = m.amount(id, audio)
		r.AudioOutput = m.amount(id, times(audio, cmp.Or(out, one)))
	}
	return r, true
}

// audioRatio returns a ratio of the model's audio, or nil if it has none. If the
// dump lacks the option, new-api used its default for the model, if it has one.
func (m *importer) audioRatio(id, name string, option, defaults table) *big.Rat {
	ratio := defaults[id]
	if option != nil || m.program == oneAPI || ratio == nil {
		return option[id]
	}
	m.note("model", id, "its %s is new-api's default of %s, which may differ between versions", name, decimal(ratio))
	return ratio
}

var (
	one          = big.NewRat(1, 1)
	oneHourRatio = big.NewRat(8, 5) // new-api's ratio of cache writes for one hour to those for five minutes
)

// times returns a * b as a new number.
func times(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }

// cacheWrite returns the ratio for cache writes, or nil if they cost as much as input.
func (m *importer) cacheWrite(id string, model *servedModel) *big.Rat {
	isAnthropic := slices.ContainsFunc(model.priceKeys,
		func(key priceKey) bool { return sharedFamilies[key.channelType].kind == "anthropic" })
	if ratio := m.ratios.cacheWrite[id]; ratio != nil || m.program == oneAPI || !isAnthropic {
		return ratio
	}
	return big.NewRat(5, 4) // new-api's default for Anthropic
}

// ratioIn looks up a ratio as one-api does: first under the name of the model with the number
// of the channel type, then under the name alone. It returns nil if there is none.
func (k priceKey) ratioIn(ratios table) *big.Rat {
	return cmp.Or(ratios[fmt.Sprintf("%s(%d)", k.name, k.channelType)], ratios[k.name])
}

// ratioOfFirstChannel returns the ratio for the first channel of the model. It adds a
// note, once for each model, if the ratio differs for another channel.
func (m *importer) ratioOfFirstChannel(id string, model *servedModel, ratioOf func(priceKey) *big.Rat) *big.Rat {
	ratio := ratioOf(model.priceKeys[0])
	for _, key := range model.priceKeys[1:] {
		if ratioOf(key).Cmp(ratio) != 0 && !model.differs {
			model.differs = true
			m.note("model", id, "its price differs between channels, which Tollgate does not support: the price of "+
				"the first channel is taken")
		}
	}
	return ratio
}

// modelRatio returns the ratio of the model's input price. For
// one-api it falls back to the default ratios, with a note.
func (m *importer) modelRatio(id string, model *servedModel) (*big.Rat, bool) {
	if m.program != oneAPI {
		return m.ratios.model[id], m.ratios.model[id] != nil
	}
	ratio := m.ratioOfFirstChannel(id, model, func(key priceKey) *big.Rat {
		return cmp.Or(key.ratioIn(m.ratios.model), oneAPIRatio(key.name), fallbackRatio)
	})
	switch key := model.priceKeys[0]; {
	case key.ratioIn(m.ratios.model) != nil:
	case oneAPIRatio(key.name) != nil:
		m.note("model", id, "the dump has no ratio for %s: one-api's default of %s is taken, which may differ "+
			"between versions", nameInNote(key.name, id), decimal(ratio))
	default:
		m.note("model", id, "the dump has no ratio for %s and no default is known: 30 is taken (60 USD per 1M "+
			"tokens), as one-api does; correct the price", nameInNote(key.name, id))
	}
	return ratio, true
}

// fallbackRatio is the ratio that one-api uses for a model that it does not know.
var fallbackRatio = big.NewRat(30, 1)

// nameInNote returns the name of a price in a note about the model with the id: "it" if the name is the id.
func nameInNote(name, id string) string {
	if name == id {
		return "it"
	}
	return cmp.Or(name, "it")
}

// completionRatio returns the ratio of the output price to the input price. It adds a note for a default. new-api
// ignores its option for models with a fixed default, except if the name contains a slash.
func (m *importer) completionRatio(id string, model *servedModel) *big.Rat {
	if m.program == oneAPI {
		ratio := m.ratioOfFirstChannel(id, model, func(key priceKey) *big.Rat {
			return cmp.Or(key.ratioIn(m.ratios.completion), oneAPICompletionRatio(key.name))
		})
		if key := model.priceKeys[0]; key.ratioIn(m.ratios.completion) == nil {
			m.note("model", id, "the dump has no completion ratio for %s: one-api's default of %s is taken, which may "+
				"differ between versions", nameInNote(key.name, id), decimal(ratio))
		}
		return ratio
	}
	ratio, isFixed := newAPICompletionRatio(id)
	setting := m.ratios.completion[id]
	if setting != nil && (!isFixed || strings.Contains(id, "/")) {
		return setting
	}
	m.note("model", id, "its completion ratio is new-api's default of %s, which may differ between versions",
		decimal(ratio))
	return ratio
}

// decimal returns the ratio as a decimal, rounded to 12 digits and without trailing zeros.
func decimal(r *big.Rat) string {
	return strings.TrimSuffix(strings.TrimRight(r.FloatString(12), "0"), ".")
}

var nanosPerUSD = big.NewRat(int64(money.USD), 1)

// amount returns a price rounded half up to nano-dollars. It adds a note if the price is not exact.
func (m *importer) amount(id string, usd *big.Rat) *money.Amount {
	amount, exact := rounded(usd)
	if !exact {
		m.note("model", id, "a price of %s USD is rounded to %s", decimal(usd), amount)
	}
	return &amount
}

// rounded returns the amount nearest to usd, with halves rounded up. exact
// reports whether it equals usd. A value beyond the range becomes money.Max.
func rounded(usd *big.Rat) (amount money.Amount, exact bool) {
	nanos := new(big.Rat).Mul(usd, nanosPerUSD)
	half := new(big.Rat).Add(nanos, big.NewRat(1, 2))
	whole := new(big.Int).Div(half.Num(), half.Denom()) // rounds down, because the denominator is positive
	if !whole.IsInt64() {
		return money.Max, false
	}
	return money.Amount(whole.Int64()), nanos.IsInt()
}
