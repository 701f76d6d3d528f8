package oneapi

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// table holds ratios by name.
type table map[string]*big.Rat

// ratios are the prices as the dump has them.
type ratios struct {
	model, completion, cache, cacheWrite, audio, audioOut, group table
	price                                                        table // USD per request
}

// unitsPerUSD is what one dollar is worth where the options do not say.
const unitsPerUSD = 500_000

// options reads the prices of the options. Those that shape a business are told
// of; those that hold only how a page looks are not.
func (m *importer) options() {
	m.perUnit = big.NewRat(1, unitsPerUSD)
	readers := map[string]*table{
		"ModelRatio": &m.ratios.model, "CompletionRatio": &m.ratios.completion, "CacheRatio": &m.ratios.cache,
		"CreateCacheRatio": &m.ratios.cacheWrite, "AudioRatio": &m.ratios.audio, "AudioCompletionRatio": &m.ratios.audioOut,
		"GroupRatio": &m.ratios.group, "ModelPrice": &m.ratios.price,
	}
	for _, r := range m.dump.Rows["options"] {
		name, value := row{r}.text("key"), row{r}.text("value")
		if into, known := readers[name]; known {
			*into = m.table(name, value)
			continue
		}
		if name == "QuotaPerUnit" {
			m.setUnit(value)
			continue
		}
		m.note("option", name, "is not carried over")
	}
}

func (m *importer) setUnit(value string) {
	units, ok := rational(json.Number(value))
	if !ok || units.Sign() == 0 {
		m.note("option", "QuotaPerUnit", "is no number: 500,000 units are taken for a dollar")
		return
	}
	m.perUnit = new(big.Rat).Inv(units)
}

// table reads a JSON object of numbers, and tells of what is none.
func (m *importer) table(option, text string) table {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var values map[string]any
	if err := decoder.Decode(&values); err != nil {
		m.note("option", option, "is not carried over: it is no JSON object")
		return nil
	}
	out := table{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		number, _ := values[name].(json.Number)
		ratio, ok := rational(number)
		if !ok {
			m.note("option", option, "the entry %q is not carried over: it is no usable number", name)
			continue
		}
		out[name] = ratio
	}
	return out
}

// usd is what a count of quota is worth.
func (m *importer) usd(units int64) *big.Rat {
	return new(big.Rat).Mul(new(big.Rat).SetInt64(units), m.perUnit)
}
