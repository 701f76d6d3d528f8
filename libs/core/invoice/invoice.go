// Package invoice defines what a provider says that it charged, day by day, and compares it with the supplier cost of
// our own usage logs.
//
//	Account   a billing account at a provider, with the channels whose calls it pays
//	Charge    what the provider says about one UTC day, model and key
//	Own       what our usage logs say about the same
//	Compare   both, with the difference and its likely reason
//
// Amounts are exact: providers state decimals, Sum adds them up as rationals and rounds once to a nano-dollar. Tenants
// never see anything of this package.
package invoice

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// Provider says how the charges of an account are obtained.
type Provider string

// The providers.
const (
	OpenAI     Provider = "openai"     // costs and completions usage of the organization
	Anthropic  Provider = "anthropic"  // usage and cost report
	OpenRouter Provider = "openrouter" // activity
	Upload     Provider = "csv"        // people upload CSV files
)

// Providers lists all providers.
func Providers() []Provider { return []Provider{OpenAI, Anthropic, OpenRouter, Upload} }

// publicURL maps each provider that is asked over HTTP to the address of its API.
var publicURL = map[Provider]string{
	OpenAI: "https://api.openai.com", Anthropic: "https://api.anthropic.com", OpenRouter: "https://openrouter.ai",
}

// The bounds of an account.
const (
	MaxAccounts = 100 // of an installation
	MaxChannels = 200 // of an account
	MaxKeys     = 500 // of an account
	maxText     = 200 // characters of the id of a key, a mask, or the name of a model
)

// Key maps a provider's id of an API key to the mask by which the channels show the same key.
type Key struct {
	ID   string `json:"id"`
	Mask string `json:"mask"`
}

// Account is a billing account at a provider. Its billing credential is not part of it: only the job that fetches
// charges reads the credential.
type Account struct {
	ID       uuid.UUID
	Name     string
	Provider Provider
	BaseURL  string        // "": the public address of the provider
	Status   tenant.Status // a disabled account is not fetched
	Channels []uuid.UUID   // whose calls the account pays
	Keys     []Key         // empty: calls and charges are compared by model alone

	Credential bool // whether a billing credential is stored

	CreatedAt, UpdatedAt time.Time
	DueAt                time.Time // of the next fetch or comparison
	FetchedAt            time.Time // of the last successful fetch or upload; zero: none
	Error                string    // of the last fetch; "" if it was successful
}

// URL returns the address of the provider's API without a slash at the end, and without the version with which the
// paths of channels end. It is "" for accounts that are not fetched.
func (a *Account) URL() string {
	if a.BaseURL == "" {
		return publicURL[a.Provider]
	}
	base := strings.TrimSuffix(strings.TrimRight(a.BaseURL, "/"), "/v1")
	if a.Provider == OpenRouter {
		base = strings.TrimSuffix(base, "/api")
	}
	return base
}

// Check returns the problem of the first field that is malformed, or nil. Whether the channels exist is for the caller
// to check.
func (a *Account) Check() error {
	if err := tenant.CheckName(a.Name); err != nil {
		return err
	}
	if !slices.Contains(Providers(), a.Provider) {
		return invalid("provider", "provider must be one of: openai, anthropic, openrouter, csv")
	}
	if err := tenant.CheckStatus(a.Status); err != nil {
		return err
	}
	if a.BaseURL != "" {
		if a.Provider == Upload {
			return invalid("base_url", "an account of CSV files has no base_url")
		}
		if len(a.BaseURL) > 2_000 {
			return invalid("base_url", "base_url may have at most 2,000 bytes")
		}
		if err := address.CheckURL("base_url", a.BaseURL); err != nil {
			return err
		}
	}
	if len(a.Channels) > MaxChannels {
		return invalid("channels", "an account may have at most 200 channels")
	}
	for i, id := range a.Channels {
		if id == uuid.Nil || slices.Contains(a.Channels[:i], id) {
			return invalid("channels", "channels must be different ids of channels")
		}
	}
	return checkKeys(a.Keys)
}

// checkKeys returns a problem unless each key is complete and named once.
func checkKeys(keys []Key) error {
	if len(keys) > MaxKeys {
		return invalid("keys", "an account may have at most 500 keys")
	}
	ids := map[string]bool{}
	for _, key := range keys {
		if !isText(key.ID) || !isText(key.Mask) || ids[key.ID] {
			return invalid("keys", "each key must have a different id and a mask, of 1 to 200 printable characters")
		}
		ids[key.ID] = true
	}
	return nil
}

// isText reports whether s has 1 to 200 characters, all printable.
func isText(s string) bool { return s != "" && cleanText(s) == s }

// invalid returns an InvalidType problem at a field.
func invalid(field, text string) error { return problem.New(problem.InvalidType, "%s", text).At(field) }

// Day is a UTC day such as "2026-11-23".
type Day string

// DayOf returns the day that contains the time.
func DayOf(t time.Time) Day { return Day(t.UTC().Format(time.DateOnly)) }

// ParseDay returns the day that the text names, if it has the form 2026-11-23 and is a day of the years 2000 to 2199.
func ParseDay(text string) (Day, bool) {
	t, err := time.Parse(time.DateOnly, text)
	return Day(text), err == nil && t.Year() >= 2000 && t.Year() < 2200
}

// Start returns the first moment of the day. A Day that ParseDay refuses has the zero time.
func (d Day) Start() time.Time {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return time.Time{}
	}
	return t
}

// Add returns the day that is n days later.
func (d Day) Add(n int) Day { return DayOf(d.Start().AddDate(0, 0, n)) }

// Figures are the sums of one side of a comparison. A figure that is nil is not known: the provider does not report it.
type Figures struct {
	Amount       *money.Amount
	InputTokens  *int64
	OutputTokens *int64
	Requests     *int64
}

// Charge holds the figures that a provider states for one day, model and key.
type Charge struct {
	Day   Day
	Model string // name at the provider; "": the provider names none
	Key   string // the provider's id of the API key; "": the provider names none
	Figures
}

// Report holds the charges of a fetch or an upload. A day without charges was reported as well: the provider charged
// nothing. Only a day that is missing in Days was not reported.
type Report struct {
	Days    map[Day]bool
	Charges []Charge // one for each day, model and key
}

// dateSuffix matches the date at the end of the name of a model's snapshot, such as gpt-4o-2024-08-06 or
// claude-sonnet-4-20250514.
var dateSuffix = regexp.MustCompile(`-(\d{4}-\d{2}-\d{2}|20\d{6}|latest)$`)

// Canonical returns the name under which a model is compared: without its date, because providers charge for the dated
// snapshot while channels often send the alias.
func Canonical(model string) string {
	model = strings.ToLower(model)
	if loc := dateSuffix.FindStringIndex(model); len(loc) > 0 && loc[0] > 0 {
		model = model[:loc[0]]
	}
	if strings.HasPrefix(model, "claude-") {
		model = strings.TrimSuffix(model, "-0") // claude-sonnet-4-0 is the alias of claude-sonnet-4-20250514
	}
	return model
}
