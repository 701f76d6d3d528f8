// Package pricecatalog registers the operations on the price catalog, which only operators may use: the file of public
// prices, its differences from the prices of this installation, scheduling prices from it, and creating models from it.
//
// No operation applies a price by itself. applyPriceCatalog schedules the prices that an operator selected, and
// createPriceCatalogModels creates models with them. Both refuse those with a warning that the operator did not
// confirm.
package pricecatalog

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/pricecatalog"
	"github.com/tollgate/tollgate/libs/store"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	storepage "github.com/tollgate/tollgate/libs/store/page"
)

// fileBody is the largest body of an upload: the file is a JSON string in it, in which quotes are escaped.
const fileBody = pricecatalog.MaxBytes + pricecatalog.MaxBytes/2

// maxFound is the greatest number of entries that a search returns.
const maxFound = 50

// Options holds the dependencies of the operations.
type Options struct {
	Store *store.Store
	Now   func() time.Time
}

// handlers holds the handlers of the operations as methods.
type handlers struct {
	*api.API
	Options

	mu     sync.Mutex // guards parsed
	parsed parsed
}

// parsed is the catalog that was parsed last. Parsing takes milliseconds, and each page needs it.
type parsed struct {
	sha256  string
	catalog *pricecatalog.Catalog
}

// Catalog describes the file of the price catalog that applies now.
type Catalog struct {
	Source    string     `json:"source" doc:"built-in: the file that ships with the product. upload: a file of an operator. Otherwise the URL from which the worker fetched the file"`
	SHA256    string     `json:"sha256" doc:"Checksum of the file, in hexadecimal"`
	Updated   string     `json:"updated" format:"date" doc:"The day that the file names"`
	Entries   int        `json:"entries" doc:"Number of entries"`
	StoredAt  *time.Time `json:"stored_at" nullable:"true" doc:"When the file was uploaded or fetched; null for the built-in one"`
	CheckedAt *time.Time `json:"checked_at" nullable:"true" doc:"When the worker last fetched the file; null if it never did"`
	Fault     string     `json:"fault" doc:"Why the last fetch failed; empty if it did not"`
}

// Entry describes the prices and bounds that a provider publishes for one model.
type Entry struct {
	ID              string              `json:"id" doc:"Provider and model, such as openai/gpt-4o"`
	Provider        string              `json:"provider"`
	Model           string              `json:"model" doc:"The provider's id of the model"`
	Aliases         []string            `json:"aliases" doc:"Other ids of the model at the same price"`
	Price           pricing.Rates       `json:"price" doc:"Price in USD per 1M tokens, and per request"`
	ContextLength   int64               `json:"context_length" doc:"The most tokens of input and output together; 0: not known"`
	MaxOutputTokens int64               `json:"max_output_tokens" doc:"The most tokens of one answer; 0: not known"`
	Modalities      resource.Modalities `json:"modalities" doc:"What the model reads and writes"`
	Source          string              `json:"source" doc:"URL of the page from which the prices were read"`
	Read            string              `json:"read" format:"date" doc:"The day on which they were read"`
	Checked         bool                `json:"checked" doc:"Whether the rates of tokens were compared with the provider's own page"`
	Note            string              `json:"note" doc:"What a reader of the prices must know; may be empty"`
	Confirm         []string            `json:"confirm" maxItems:"2" enum:"zero,unverified" doc:"What an operator must confirm before a model is created from the entry. zero: a rate is zero. unverified: the entry was not compared with the provider's own page"`
}

// EntryList has the entries that a search found.
type EntryList struct {
	SHA256 string  `json:"sha256" doc:"Checksum of the file. Pass it to createPriceCatalogModels"`
	Items  []Entry `json:"items" doc:"At most 50"`
}

// Difference compares an entry with the current price of a model that this installation has.
type Difference struct {
	Model       string       `json:"model" doc:"Public id of the model"`
	PriceID     *uuid.UUID   `json:"price_id" nullable:"true" doc:"The current version of the price; null if the model has none"`
	Entry       Entry        `json:"entry"`
	Changes     []RateChange `json:"changes" doc:"The rates that differ; empty if the price is the same"`
	Warnings    []string     `json:"warnings" maxItems:"5" enum:"large_rise,zero,new_rate,removed,unverified" doc:"What an operator must confirm before the price is applied. large_rise: a rate rises by more than 50 %. zero: a rate falls to zero. new_rate: the current price does not have the rate. removed: the entry does not have a rate of the current price. unverified: the entry was not compared with the provider's own page"`
	ScheduledAt *time.Time   `json:"scheduled_at" nullable:"true" doc:"When a scheduled version with the same rates takes effect; null if there is none"`
}

// RateChange is a rate that differs.
type RateChange struct {
	Rate    string  `json:"rate" doc:"Such as input, tiers[200000].output or tools.web_search"`
	Old     string  `json:"old" doc:"Current rate in USD; empty if the price does not have the rate"`
	New     string  `json:"new" doc:"Rate of the entry in USD; empty if it does not have the rate"`
	Percent float64 `json:"percent" doc:"Rise in per cent, negative for a fall, rounded to a tenth; 0 if old or new is missing or old is zero"`
	Warning string  `json:"warning" enum:",large_rise,zero,new_rate,removed" doc:"Why an operator must confirm the change; empty if that is not needed"`
}

// Differences is a page of differences, with the file to which they belong.
type Differences struct {
	SHA256 string       `json:"sha256" doc:"Checksum of the file. Pass it to applyPriceCatalog"`
	Items  []Difference `json:"items"`
	Next   string       `json:"next" doc:"Pass it as after to get the following page; empty on the last page"`
}

// NewFile is the body of replacePriceCatalog.
type NewFile struct {
	File string `json:"file" minLength:"2" maxLength:"4194304" doc:"The JSON text of the file. docs/price-catalog.md describes the format"`
}

// Application is the body of applyPriceCatalog.
type Application struct {
	SHA256        string     `json:"sha256" minLength:"64" maxLength:"64" doc:"Checksum of the file that was compared"`
	EffectiveFrom time.Time  `json:"effective_from" doc:"When the prices take effect; later than now"`
	Changes       []Selected `json:"changes" minItems:"1" maxItems:"200" doc:"The prices to apply, at most one for each model"`
}

// Selected is a price that an operator wants to apply.
type Selected struct {
	Model   string     `json:"model" minLength:"1" maxLength:"200" doc:"Public id of the model"`
	Entry   string     `json:"entry" minLength:"1" maxLength:"300" doc:"Id of the entry"`
	PriceID *uuid.UUID `json:"price_id" nullable:"true" doc:"The version of the price with which the entry was compared; null if the model had none"`
	Confirm []string   `json:"confirm,omitempty" maxItems:"5" enum:"large_rise,zero,new_rate,removed,unverified" doc:"The warnings that the operator has confirmed for this model"`
}

// Applied lists the versions that were scheduled.
type Applied struct {
	Items []AppliedPrice `json:"items"`
}

// AppliedPrice is a scheduled version of a price.
type AppliedPrice struct {
	ID            uuid.UUID     `json:"id"`
	Model         string        `json:"model"`
	EffectiveFrom time.Time     `json:"effective_from"`
	Price         pricing.Rates `json:"price"`
}

type entryQuery struct {
	Search string `query:"search" maxLength:"200" doc:"Part of an id or an alias, without regard to case"`
	Model  string `query:"model" maxLength:"200" doc:"Only entries whose id, model or alias is exactly this"`
	First  string `query:"first" maxLength:"40" doc:"Provider whose entries come first in a search"`
}

type differenceQuery struct {
	api.PageQuery
	All   bool   `query:"all" doc:"Also list models whose price is the same. Defaults to false"`
	Model string `query:"model" maxLength:"200" doc:"Only this model"`
}

// Register adds the operations to a.
func Register(a *api.API, o Options) {
	h := &handlers{API: a, Options: o}
	api.Register(a, api.Operation{
		ID: "getPriceCatalog", Method: http.MethodGet, Path: "/operator/price-catalog", Tag: "operator",
		Scope: token.ReadCatalog, Summary: "Show which price catalog applies",
		Description: "The price catalog is a file of public prices. It changes no price by itself.",
		Errors:      []int{http.StatusForbidden},
	}, h.show)
	api.Register(a, api.Operation{
		ID: "replacePriceCatalog", Method: http.MethodPut, Path: "/operator/price-catalog", Tag: "operator",
		Scope: token.WriteCatalog, Summary: "Upload a price catalog",
		Description: "Replaces the file. A file with a fault is refused as a whole; the error names the entry and " +
			"the field. No price changes.",
		Needs: permission.WritePlatform, Body: fileBody,
	}, h.replace)
	api.Register(a, api.Operation{
		ID: "removePriceCatalog", Method: http.MethodDelete, Path: "/operator/price-catalog", Tag: "operator",
		Scope: token.WriteCatalog, Summary: "Return to the built-in price catalog",
		Description: "Removes the file that was uploaded or fetched.", Status: http.StatusOK,
	}, h.remove)
	api.Register(a, api.Operation{
		ID: "listPriceCatalogEntries", Method: http.MethodGet, Path: "/operator/price-catalog/entries", Tag: "operator",
		Scope: token.ReadCatalog, Summary: "Find entries of the price catalog",
		Description: "Returns at most 50 entries, in the order of the file. A search can have the entries of one " +
			"provider first.", Errors: []int{http.StatusForbidden},
	}, h.entries)
	api.Register(a, api.Operation{
		ID: "comparePriceCatalog", Method: http.MethodGet, Path: "/operator/price-catalog/changes", Tag: "operator",
		Scope: token.ReadCatalog, Summary: "Compare the price catalog with current prices",
		Description: "Lists the models of this installation that the catalog knows, ordered by model. A model is " +
			"known by the ids under which its channels call it; without channels, by its own id. Several providers " +
			"may have an entry for a model: it is then listed once for each.",
		Errors: []int{http.StatusForbidden},
	}, h.differences)
	api.Register(a, api.Operation{
		ID: "applyPriceCatalog", Method: http.MethodPost, Path: "/operator/price-catalog/apply", Tag: "operator",
		Scope: token.WriteCatalog, Summary: "Schedule prices of the price catalog",
		Description: "Adds a scheduled version of the price of each model, all or none. Each warning of a model " +
			"must be confirmed. Refused with 409 if the file or a price has changed since it was compared.",
		Status: http.StatusCreated, Errors: []int{http.StatusConflict}, Needs: permission.WritePlatform,
	}, h.apply)
	api.Register(a, api.Operation{
		ID: "createPriceCatalogModels", Method: http.MethodPost, Path: "/operator/price-catalog/models",
		Tag: "operator", Scope: token.WriteCatalog, Summary: "Create models from the price catalog",
		Description: "Creates a model for each selected entry, with its price, context length, output bound and " +
			"modalities, all or none. Models that exist already are left as they are. What an entry lists in " +
			"confirm must be confirmed. Refused with 409 if the file has changed since its entries were listed.",
		Status: http.StatusCreated, Errors: []int{http.StatusConflict}, Needs: permission.WritePlatform,
		Body: api.ListBody,
	}, h.create)
}

// current returns the catalog that applies now with the checksum of its file, and the stored file.
func (h *handlers) current(ctx context.Context) (parsed, catalogdb.PriceFile, error) {
	file, err := h.Store.Catalog.PriceFile(ctx, api.ScopeOf(ctx))
	if err != nil {
		return parsed{}, file, err
	}
	text := []byte(file.Text)
	if file.Text == "" {
		text, file.SHA256 = pricecatalog.Builtin(), catalogdb.SHA256(pricecatalog.Builtin())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.parsed.sha256 == file.SHA256 {
		return h.parsed, file, nil
	}
	c, err := pricecatalog.Parse(text)
	if err != nil {
		return parsed{}, file, err
	}
	h.parsed = parsed{file.SHA256, c}
	return h.parsed, file, nil
}

func (h *handlers) show(ctx context.Context, _ *struct{}) (*api.Answer[Catalog], error) {
	now, file, err := h.current(ctx)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(Catalog{
		Source: cmp.Or(file.Source, "built-in"), SHA256: now.sha256, Updated: now.catalog.Updated.Format(time.DateOnly),
		Entries:  len(now.catalog.Entries),
		StoredAt: null.Time(file.StoredAt), CheckedAt: null.Time(file.CheckedAt), Fault: file.Fault,
	}), nil
}

func (h *handlers) replace(ctx context.Context, in *struct{ Body NewFile }) (*api.Answer[Catalog], error) {
	if err := h.Store.Catalog.ReplacePriceFile(ctx, api.ScopeOf(ctx), []byte(in.Body.File),
		catalogdb.UploadedPrices); err != nil {
		return nil, err
	}
	return h.show(ctx, nil)
}

func (h *handlers) remove(ctx context.Context, _ *struct{}) (*api.Answer[Catalog], error) {
	if err := h.Store.Catalog.DropPriceFile(ctx, api.ScopeOf(ctx)); err != nil {
		return nil, err
	}
	return h.show(ctx, nil)
}

func (h *handlers) entries(ctx context.Context, in *entryQuery) (*api.Answer[EntryList], error) {
	now, _, err := h.current(ctx)
	if err != nil {
		return nil, err
	}
	entries := now.catalog.Find(in.Model)
	if in.Model == "" {
		entries = now.catalog.Search(in.Search, in.First, maxFound)
	}
	list := EntryList{SHA256: now.sha256, Items: []Entry{}}
	for _, e := range entries[:min(len(entries), maxFound)] {
		list.Items = append(list.Items, entryOf(e))
	}
	return api.NewAnswer(list), nil
}

func entryOf(e *pricecatalog.Entry) Entry {
	return Entry{
		ID: e.ID(), Provider: e.Provider, Model: e.Model, Aliases: slices.Concat([]string{}, e.Aliases), Price: e.Price,
		ContextLength: e.ContextLength, MaxOutputTokens: e.MaxOutputTokens,
		Modalities: resource.ModalitiesOf(catalog.Modalities{Input: e.Input, Output: e.Output}),
		Source:     e.Source, Read: e.Read.Format(time.DateOnly), Checked: e.Checked, Note: e.Note,
		Confirm: words(pricecatalog.New(e).Warnings),
	}
}

// match is a model of this installation and an entry that the catalog has for it.
type match struct {
	model *catalog.Model
	entry *pricecatalog.Entry
}

// key orders matches. A model id has no blanks.
func (m *match) key() string { return m.model.ID + " " + m.entry.ID() }

// matches returns the models that the catalog knows, ordered by their keys. A model is known by the ids under which its
// channels call it, because these are the provider's; without channels, by its own id.
func matches(s *snapshot.Snapshot, c *pricecatalog.Catalog) []match {
	upstream := map[string][]string{} // public id -> ids at the providers
	for _, channel := range s.Channels() {
		for public, id := range channel.Models {
			if !slices.Contains(upstream[public], id) {
				upstream[public] = append(upstream[public], id)
			}
		}
	}
	var list []match
	for _, model := range s.Models() {
		names := upstream[model.ID]
		if len(names) == 0 {
			names = []string{model.ID}
		}
		var entries []*pricecatalog.Entry
		for _, name := range names {
			for _, entry := range c.Find(name) {
				if !slices.Contains(entries, entry) {
					entries = append(entries, entry)
					list = append(list, match{model, entry})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b match) int { return strings.Compare(a.key(), b.key()) })
	return list
}

// comparison compares the match with the current price of its model.
func (h *handlers) comparison(s *snapshot.Snapshot, m *match, now time.Time) (pricecatalog.Comparison, *uuid.UUID) {
	terms, ok := s.Book.Terms(m.model.ID, uuid.Nil, now)
	if !ok {
		return pricecatalog.Compare(pricing.Rates{}, m.entry), nil
	}
	return pricecatalog.Compare(terms.Price.Rates, m.entry), &terms.Price.ID
}

func (h *handlers) differences(ctx context.Context, in *differenceQuery) (*api.Answer[Differences], error) {
	current, _, err := h.current(ctx)
	if err != nil {
		return nil, err
	}
	s, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	page := Differences{SHA256: current.sha256, Items: []Difference{}}
	limit, now, size := cmp.Or(in.Limit, 50), h.Now(), 0
	for _, m := range matches(s, current.catalog) {
		if m.key() <= in.After || in.Model != "" && in.Model != m.model.ID {
			continue
		}
		comparison, id := h.comparison(s, &m, now)
		if len(comparison.Changes) == 0 && !in.All {
			continue
		}
		if n := len(page.Items); n == limit || size >= storepage.MaxBytes {
			item := page.Items[n-1]
			page.Next = item.Model + " " + item.Entry.ID
			break
		}
		page.Items = append(page.Items, Difference{
			Model: m.model.ID, PriceID: id, Entry: entryOf(m.entry), Changes: changesOf(&comparison),
			Warnings:    words(comparison.Warnings),
			ScheduledAt: scheduled(s, &m, now),
		})
		size += storepage.Bytes(page.Items[len(page.Items)-1])
	}
	return api.NewAnswer(page), nil
}

// scheduled returns when the rates of the entry take effect, if the last scheduled version has them.
func scheduled(s *snapshot.Snapshot, m *match, now time.Time) *time.Time {
	terms, ok := s.Book.Terms(m.model.ID, uuid.Nil, now.AddDate(1_000, 0, 0))
	if !ok || !terms.Price.EffectiveFrom.After(now) || !terms.Price.Rates.Equal(m.entry.Price) {
		return nil
	}
	return null.Time(terms.Price.EffectiveFrom)
}

func changesOf(comparison *pricecatalog.Comparison) []RateChange {
	changes := make([]RateChange, 0, len(comparison.Changes))
	for _, c := range comparison.Changes {
		change := RateChange{Rate: c.Rate, Percent: float64(int64(c.Percent*10+sign(c.Percent)*0.5)) / 10,
			Warning: string(c.Warning)}
		if c.Old != nil {
			change.Old = c.Old.String()
		}
		if c.New != nil {
			change.New = c.New.String()
		}
		changes = append(changes, change)
	}
	return changes
}

func sign(f float64) float64 {
	if f < 0 {
		return -1
	}
	return 1
}

func words(warnings []pricecatalog.Warning) []string {
	list := make([]string, len(warnings))
	for i, w := range warnings {
		list[i] = string(w)
	}
	return list
}
