// Package pricecatalog reads the price catalog: a JSON file of the prices that providers publish, with the context
// lengths, output limits and modalities of their models.
//
//	bytes --Parse--> Catalog --Find(name)--> Entry --Compare with a model's price--> Comparison
//
// Builtin returns the file that ships with the product. An operator can replace it by another file, which comes from
// anywhere: Parse bounds what a file can hold and refuses the whole file for its first fault. Nothing here changes a
// price. Comparison.Warnings says what a person must look at before a price of the file is applied.
package pricecatalog

import (
	_ "embed"
	"strings"
	"time"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/pricing"
)

// Catalog is a parsed file. It is not changed after Parse, so any number of goroutines may use it.
type Catalog struct {
	Updated time.Time // the day of the file, at midnight UTC
	Entries []Entry   // in the order of the file

	byName map[string][]int // model ids and aliases -> indexes of entries
}

// Entry has the prices and bounds that a provider publishes for one model.
type Entry struct {
	Provider        string   // such as "openai"
	Model           string   // the provider's id of the model
	Aliases         []string // other ids of the same model at the same price, such as dated snapshots
	Price           pricing.Rates
	ContextLength   int64 // most tokens of input and output together; 0: not known
	MaxOutputTokens int64 // 0: not known
	Input, Output   []catalog.Modality
	Source          string    // https URL of the page from which the prices were read
	Read            time.Time // the day on which they were read, at midnight UTC
	Checked         bool      // the rates of tokens were compared with the provider's own page
	Note            string    // what a reader of the prices must know; "" for nothing
}

// ID returns the provider and the model, which together are unique in a file, such as "openai/gpt-4o".
func (e *Entry) ID() string { return e.Provider + "/" + e.Model }

// Find returns the entries for a model name: those whose id, model or alias is the name. Several providers may serve a
// model under the same name. The entries must not be changed.
func (c *Catalog) Find(name string) []*Entry {
	var entries []*Entry
	for _, index := range c.byName[name] {
		entries = append(entries, &c.Entries[index])
	}
	return entries
}

// Entry returns the entry with the id, or nil.
func (c *Catalog) Entry(id string) *Entry {
	for _, index := range c.byName[id] {
		if c.Entries[index].ID() == id {
			return &c.Entries[index]
		}
	}
	return nil
}

// Search returns at most limit entries whose id or an alias contains the text, without regard to case: those of the
// given provider first, then the others, each in the order of the file.
func (c *Catalog) Search(text, provider string, limit int) []*Entry {
	text = strings.ToLower(text)
	var preferred, others []*Entry
	for i := range c.Entries {
		e := &c.Entries[i]
		switch {
		case !e.matches(text):
		case e.Provider == provider:
			preferred = append(preferred, e)
		default:
			others = append(others, e)
		}
	}
	preferred = append(preferred, others...)
	return preferred[:min(len(preferred), limit)]
}

func (e *Entry) matches(text string) bool {
	if strings.Contains(strings.ToLower(e.ID()), text) {
		return true
	}
	for _, alias := range e.Aliases {
		if strings.Contains(strings.ToLower(alias), text) {
			return true
		}
	}
	return false
}

//go:embed prices.json
var builtin []byte

// Builtin returns the text of the file that ships with the product. The caller must not change it.
func Builtin() []byte { return builtin }
