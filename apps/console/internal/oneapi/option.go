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

// ratios holds the prices of the options, by name of model or
// group. A nil table means that the dump lacks the option.
type ratios struct {
	model, completion, cache, cacheWrite, audio, audioOut, group table
	price                                                        table // USD per request
	// By group of the user: the ratios of other groups for these users.
	groupFor map[string]table
}

// unitsPerUSD is the number of units of quota for a dollar if the options do not say.
const unitsPerUSD = 500_000

// options reads the prices from the options, and which groups users
// may choose for tokens. It adds a note for every other option.
func (m *importer) options() {
	m.perUnit = big.NewRat(1, unitsPerUSD)
	m.usable = map[string]string{defaultGroup: "", "vip": ""} // the programs' default
	readers := map[string]*table{
		"ModelRatio": &m.ratios.model, "CompletionRatio": &m.ratios.completion, "CacheRatio": &m.ratios.cache,
		"CreateCacheRatio": &m.ratios.cacheWrite, "AudioRatio": &m.ratios.audio,
		"AudioCompletionRatio": &m.ratios.audioOut,
		"GroupRatio":           &m.ratios.group, "ModelPrice": &m.ratios.price,
	}
	for _, r := range m.dump.Rows["options"] {
		name, value := row{r}.text("key"), row{r}.text("value")
		if into, ok := readers[name]; ok {
			*into = m.table(name, value)
			continue
		}
		switch name {
		case "QuotaPerUnit":
			m.setUnit(value)
		case "UserUsableGroups":
			m.usable = object[string](m, name, value)
			m.note("option", name, "is not imported: in Tollgate operators choose the groups of users")
		case "group_ratio_setting.group_special_usable_group":
			m.usableBy = object[map[string]string](m, name, value)
			m.note("option", name, "is not imported: in Tollgate operators choose the groups of users")
		case "GroupGroupRatio":
			m.ratioFor(name, value)
		case "billing_setting.billing_mode":
			for id, mode := range object[string](m, name, value) {
				m.expressions[id] = mode == "tiered_expr"
			}
		default:
			m.note("option", name, "is not imported")
		}
	}
}

// object decodes the JSON object of an option. It adds a note and returns nil if the text has another form.
func object[T any](m *importer, option, text string) map[string]T {
	members := map[string]T{}
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		m.note("option", option, "is not imported: it is not a JSON object of the form that new-api writes")
		return nil
	}
	return members
}

// ratioFor reads the option with the ratios that users of one group pay for tokens of another group.
func (m *importer) ratioFor(option, text string) {
	m.ratios.groupFor = map[string]table{}
	for user, ratios := range object[json.RawMessage](m, option, text) {
		m.ratios.groupFor[user] = m.table(option, string(ratios))
	}
	m.note("option", option, "is not imported: in Tollgate a group has one multiplier; notes name the users whose "+
		"price changes")
}

// setUnit reads the number of units of quota for a dollar.
func (m *importer) setUnit(value string) {
	units, ok := rational(json.Number(value))
	if !ok || units.Sign() == 0 {
		m.note("option", "QuotaPerUnit", "is not a positive number: 500,000 units count as a dollar")
		return
	}
	m.perUnit = new(big.Rat).Inv(units)
}

// table decodes a JSON object of numbers. It adds a note for an entry that
// is not a usable number, and returns nil if the text is not an object.
func (m *importer) table(option, text string) table {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var values map[string]any
	if err := decoder.Decode(&values); err != nil {
		m.note("option", option, "is not imported: it is not a JSON object")
		return nil
	}
	out := table{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		number, _ := values[name].(json.Number)
		ratio, ok := rational(number)
		if !ok {
			m.note("option", option, "the entry %q is not imported: it is not a usable number", name)
			continue
		}
		out[name] = ratio
	}
	return out
}

// usd returns the value of units of quota in USD, exactly.
func (m *importer) usd(units int64) *big.Rat {
	return new(big.Rat).Mul(new(big.Rat).SetInt64(units), m.perUnit)
}
