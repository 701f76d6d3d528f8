// Package usage defines the record of a finished call: its token counts by class (Usage), its usage log (Log), the
// Event that carries the log from the relay to the database, and the aggregates of logs (Rollup). README.md has the
// meaning of each figure and how the figures are reconciled.
package usage

import (
	"cmp"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
)

// Usage counts the tokens of one call by class. The classes do not overlap: each token is in exactly one. Some
// providers count cached, reasoning or audio tokens inside a total; the codecs subtract them when they read the
// response. Details are stored in usage logs only.
type Usage struct {
	Input       int64 // text and images, neither cached nor audio
	CachedInput int64 // read from the provider's prompt cache
	CacheWrite  int64 // written to the provider's prompt cache
	AudioInput  int64
	Output      int64 // text, neither reasoning nor audio
	Reasoning   int64
	AudioOutput int64

	Details
}

// Details holds what else a call is charged by: tokens that are also in a class of Usage and have a rate of their own,
// the service tier, and the tools that the provider ran. Rollups do not have them.
type Details struct {
	CacheWrite1h int64 `json:",omitzero"` // in CacheWrite: the cache lives for one hour
	ImageInput   int64 `json:",omitzero"` // in Input: images that were not cached
	ImageOutput  int64 `json:",omitzero"` // in Output

	// ServiceTier is the service tier that the answer names, as ServiceTierOf returns it.
	ServiceTier string `json:",omitzero"`

	// ReportedCost is the amount that the upstream says it charges for the call, 0 if it states nothing. It does not
	// count for the bill, and only operators may see it.
	ReportedCost money.Amount `json:",omitzero"`

	Tools
}

// Part describes a class of tokens that is a part of another class of Usage and has a rate of its own: its column of
// usage logs, and its count in the console's API, are derived from it. A new class is one of these.
type Part struct {
	Name   string // in APIs; the name of its column, in the database and in exported files, has _tokens at its end
	Class  string // the name of the class that contains it
	Number int    // field number in the relay's spool, see Columns
	Doc    string // what the tokens are
	Count  func(*Usage) *int64
}

// Parts lists the parts. A new one comes last, because programs read exported files by position.
var Parts = []Part{
	{Name: "cache_write_1h", Class: "cache_write", Number: 70,
		Doc:   "tokens that the upstream wrote to a cache that lives for one hour",
		Count: func(u *Usage) *int64 { return &u.CacheWrite1h }},
	{Name: "image_input", Class: "input", Number: 72,
		Doc:   "tokens of images that the upstream did not read from its cache",
		Count: func(u *Usage) *int64 { return &u.ImageInput }},
	{Name: "image_output", Class: "output", Number: 73, Doc: "tokens of generated images",
		Count: func(u *Usage) *int64 { return &u.ImageOutput }},
}

// Class describes a class of Usage, whose tokens are in no other class.
type Class struct {
	// The name of its column, in every table that stores counts and in exported files, has _tokens at its end.
	Name   string
	Number int // field number in the relay's spool, see Columns
	Output bool
	Count  func(*Usage) *int64
}

// Classes lists the classes. A new class of tokens is one of Parts, so that rollups and older programs still count its
// tokens.
var Classes = []Class{
	{Name: "input", Number: 32, Count: func(u *Usage) *int64 { return &u.Input }},
	{Name: "cached_input", Number: 33, Count: func(u *Usage) *int64 { return &u.CachedInput }},
	{Name: "cache_write", Number: 34, Count: func(u *Usage) *int64 { return &u.CacheWrite }},
	{Name: "audio_input", Number: 35, Count: func(u *Usage) *int64 { return &u.AudioInput }},
	{Name: "output", Number: 36, Output: true, Count: func(u *Usage) *int64 { return &u.Output }},
	{Name: "reasoning", Number: 37, Output: true, Count: func(u *Usage) *int64 { return &u.Reasoning }},
	{Name: "audio_output", Number: 38, Output: true, Count: func(u *Usage) *int64 { return &u.AudioOutput }},
}

// Column returns the name of the column of the class.
func (c *Class) Column() string { return c.Name + tokensSuffix }

// tokensSuffix is the end of the name of each column with a token count.
const tokensSuffix = "_tokens"

// classColumns returns the columns of Classes.
func classColumns() (columns []Column) {
	for i := range Classes {
		columns = append(columns, countColumn(Classes[i].Column(), Classes[i].Number, Classes[i].Count))
	}
	return columns
}

// partColumns returns the columns of parts.
func partColumns(parts []Part) (columns []Column) {
	for i := range parts {
		columns = append(columns, countColumn(parts[i].Name+tokensSuffix, parts[i].Number, parts[i].Count))
	}
	return columns
}

// countColumn returns the column of a token count.
func countColumn(name string, number int, count func(*Usage) *int64) Column {
	return Column{Name: name, Number: number, Export: name, Bill: true,
		Field: func(l *Log) any { return count(&l.Usage) }}
}

// Tools count what the tools of a call did that the provider ran. Their tokens are in no class of Usage.
type Tools struct {
	WebSearchCalls          int64 `json:",omitzero"`
	FileSearchCalls         int64 `json:",omitzero"`
	CodeInterpreterSessions int64 `json:",omitzero"`

	ImageGenerationInput      int64 `json:",omitzero"` // tokens of text
	ImageGenerationImageInput int64 `json:",omitzero"`
	ImageGenerationOutput     int64 `json:",omitzero"`
}

// maxServiceTier is the length of the longest name of a service tier, in bytes.
const maxServiceTier = 32

// ServiceTierOf returns the service tier that a call with this name in its answer is charged for. It is "" for a
// provider's ordinary tier, whatever the provider calls it, and for a text that is not a name.
func ServiceTierOf(name string) string {
	name = strings.ToLower(name)
	if OrdinaryTier(name) || name == "auto" || !ValidServiceTier(name) {
		return ""
	}
	return name
}

// OrdinaryTier reports whether name is a provider's name for its ordinary service tier. OpenAI calls it default,
// Anthropic standard (standard_only in requests), Groq on_demand.
func OrdinaryTier(name string) bool {
	switch name {
	case "default", "standard", "standard_only", "on_demand":
		return true
	}
	return false
}

// ValidServiceTier reports whether name can be the name of a service tier: 1 to 32 of a-z, 0-9, '-' and '_'.
func ValidServiceTier(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return name != "" && len(name) <= maxServiceTier
}

// Total returns the sum over all classes.
func (u Usage) Total() int64 { return u.InputTotal() + u.OutputTotal() }

// InputTotal returns the sum over the input classes.
func (u Usage) InputTotal() int64 { return u.Input + u.CachedInput + u.CacheWrite + u.AudioInput }

// OutputTotal returns the sum over the output classes.
func (u Usage) OutputTotal() int64 { return u.Output + u.Reasoning + u.AudioOutput }

// Follow corrects u, a report of an answer, by the previous report of the same answer, which may be nil. Each report
// has the totals so far, but some servers end a stream with zeros: a total that falls to zero keeps its previous value.
func (u *Usage) Follow(previous *Usage) {
	if previous == nil {
		return
	}
	if u.InputTotal() == 0 {
		u.Input, u.CachedInput, u.CacheWrite, u.AudioInput = previous.Input, previous.CachedInput, previous.CacheWrite,
			previous.AudioInput
		u.CacheWrite1h, u.ImageInput = previous.CacheWrite1h, previous.ImageInput
	}
	if u.OutputTotal() == 0 {
		u.Output, u.Reasoning, u.AudioOutput, u.ImageOutput = previous.Output, previous.Reasoning, previous.AudioOutput,
			previous.ImageOutput
	}
}

// Fault returns a text that describes why no relay records these counts, or "" if they are possible.
func (u Usage) Fault() string {
	t := u.Tools
	switch {
	case min(u.Input, u.CachedInput, u.CacheWrite, u.AudioInput, u.Output, u.Reasoning, u.AudioOutput, u.CacheWrite1h,
		u.ImageInput, u.ImageOutput) < 0:
		return "a token count is negative"
	case u.CacheWrite1h > u.CacheWrite, u.ImageInput > u.Input, u.ImageOutput > u.Output:
		return "a detail of a token count exceeds the count"
	case min(t.WebSearchCalls, t.FileSearchCalls, t.CodeInterpreterSessions, t.ImageGenerationInput,
		t.ImageGenerationImageInput, t.ImageGenerationOutput) < 0:
		return "a count of a tool is negative"
	case u.ReportedCost < 0:
		return "the reported cost is negative"
	case u.ServiceTier != ServiceTierOf(u.ServiceTier):
		return "the service tier is not the name of one"
	}
	return ""
}

// Plus returns the sum of u and v, class by class, in the service tier of u, or in that of v if u has none.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		Input:       u.Input + v.Input,
		CachedInput: u.CachedInput + v.CachedInput,
		CacheWrite:  u.CacheWrite + v.CacheWrite,
		AudioInput:  u.AudioInput + v.AudioInput,
		Output:      u.Output + v.Output,
		Reasoning:   u.Reasoning + v.Reasoning,
		AudioOutput: u.AudioOutput + v.AudioOutput,
		Details: Details{
			CacheWrite1h: u.CacheWrite1h + v.CacheWrite1h,
			ImageInput:   u.ImageInput + v.ImageInput,
			ImageOutput:  u.ImageOutput + v.ImageOutput,
			ServiceTier:  cmp.Or(u.ServiceTier, v.ServiceTier),
			ReportedCost: u.ReportedCost + v.ReportedCost,
			Tools:        u.Tools.Plus(v.Tools),
		},
	}
}

// Plus returns the sum of t and v.
func (t Tools) Plus(v Tools) Tools {
	return Tools{
		WebSearchCalls:            t.WebSearchCalls + v.WebSearchCalls,
		FileSearchCalls:           t.FileSearchCalls + v.FileSearchCalls,
		CodeInterpreterSessions:   t.CodeInterpreterSessions + v.CodeInterpreterSessions,
		ImageGenerationInput:      t.ImageGenerationInput + v.ImageGenerationInput,
		ImageGenerationImageInput: t.ImageGenerationImageInput + v.ImageGenerationImageInput,
		ImageGenerationOutput:     t.ImageGenerationOutput + v.ImageGenerationOutput,
	}
}

// Rollup is usage aggregated over one hour or day.
type Rollup struct {
	Start time.Time // start of the hour or day, in UTC
	RollupKey
	Sums
}

// RollupKey identifies a rollup, together with its hour or day.
type RollupKey struct {
	TenantID  uuid.UUID
	UserID    uuid.UUID
	TokenID   uuid.UUID
	Model     string
	ChannelID uuid.UUID
}

// Sums are the figures of a set of calls that can be added up. Usage has no Details.
type Sums struct {
	Requests int64 // calls of all outcomes
	Failed   int64
	Partial  int64
	Usage    Usage
	Quota    money.Amount
}

// Add adds the figures of one call.
func (s *Sums) Add(l *Log) {
	s.Requests++
	switch l.Outcome {
	case Failed:
		s.Failed++
	case Partial:
		s.Partial++
	}
	classes := l.Usage
	classes.Details = Details{} // no rollup stores them
	s.Usage = s.Usage.Plus(classes)
	s.Quota += l.Quota
}

// Merge adds the figures of t.
func (s *Sums) Merge(t Sums) {
	s.Requests += t.Requests
	s.Failed += t.Failed
	s.Partial += t.Partial
	s.Usage = s.Usage.Plus(t.Usage)
	s.Quota += t.Quota
}
