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
	price                                                        table            // USD per request
	groupFor                                                     map[string]table // that of a group for users of another
}

// unitsPerUSD is what one dollar is worth where the options do not say.
const unitsPerUSD = 500_000

// options reads the prices of the options, and who may use which group. It tells
// of all others.
func (m *importer) options() {
	m.perUnit = big.NewRat(1, unitsPerUSD)
	m.usable = map[string]string{defaultGroup: "", "vip": ""} // where no option says otherwise
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
		switch name {
		case "QuotaPerUnit":
			m.setUnit(value)
		case "UserUsableGroups":
			m.usable = object[string](m, name, value)
			m.note("option", name, "is not carried over: here operators choose the groups of users")
		case "group_ratio_setting.group_special_usable_group":
			m.usableBy = object[map[string]string](m, name, value)
			m.note("option", name, "is not carried over: here operators choose the groups of users")
		case "GroupGroupRatio":
			m.ratioFor(name, value)
		case "billing_setting.billing_mode":
			for id, mode := range object[string](m, name, value) {
				m.expressions[id] = mode == "tiered_expr"
			}
		default:
			m.note("option", name, "is not carried over")
		}
	}
}

// object reads a JSON object, and tells of what is none.
func object[T any](m *importer, option, text string) map[string]T {
	members := map[string]T{}
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		m.note("option", option, "is not carried over: it is not such a JSON object as new-api's")
		return nil
	}
	return members
}

// ratioFor reads the ratios of groups that are others for users of some groups.
func (m *importer) ratioFor(option, text string) {
	m.ratios.groupFor = map[string]table{}
	for user, ratios := range object[json.RawMessage](m, option, text) {
		m.ratios.groupFor[user] = m.table(option, string(ratios))
	}
	m.note("option", option, "is not carried over: here a group has one multiplier; the users whom it concerns are told of")
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
