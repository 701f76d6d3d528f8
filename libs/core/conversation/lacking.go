package conversation

import (
	"encoding/json"
	"slices"
	"strings"
)

// UpstreamDialect is the dialect that a channel speaks.
type UpstreamDialect uint8

// The dialects of channels.
const (
	UpstreamChat UpstreamDialect = iota
	UpstreamResponses
	UpstreamMessages
	UpstreamGemini
)

// lackingFields has, for each dialect of a channel, the fields that the dialect does not have and that its encoder
// leaves out: fields that only restrict the answer or give a hint. Chat also lacks some fields that OpenAI's chat
// completions have, because some compatible servers refuse them.
var lackingFields = [...][]Field{
	UpstreamChat: {fieldTruncation, FieldTopK, fieldCacheKey, fieldSummary, fieldEncrypted, fieldPicture},
	UpstreamResponses: {
		fieldSeed, fieldFrequencyPenalty, fieldPresencePenalty, FieldTopK, fieldMessageName,
		fieldCacheControl, fieldPicture,
	},
	UpstreamMessages: {
		fieldFrequencyPenalty, fieldPresencePenalty, fieldSeed, fieldVerbosity, fieldTier, fieldTruncation,
		fieldCacheKey, fieldMetadata,
		fieldStore, fieldFormatDescription, fieldMessageName, fieldImageDetail, fieldPicture, fieldToolSyntax,
	},
	UpstreamGemini: {
		fieldVerbosity, fieldParallelCalls, fieldTier, fieldTruncation, fieldUser, fieldCacheKey,
		fieldMetadata, fieldStore,
		fieldFormatDescription, fieldMessageName, fieldImageDetail, fieldCacheControl, fieldToolStrict, fieldToolSyntax,
	},
}

// Lacking returns the client's paths of the parts that the request in the upstream's dialect lacks: r.Ignored, and the
// fields that the dialect does not have and to which the client gave a value other than the default. It is nil if there
// are none. An encoder adds the fields that a model does not accept.
func (r *Request) Lacking(upstream UpstreamDialect) []string {
	ignored := slices.Clip(r.Ignored)
	lacks := func(f Field) bool { return slices.Contains(lackingFields[upstream], f) }
	for _, f := range lackingFields[upstream] {
		if r.isGiven(f) {
			ignored = append(ignored, r.NameOf(f))
		}
	}
	for i := range r.Messages {
		m := &r.Messages[i]
		if m.Name != "" && lacks(fieldMessageName) {
			ignored = append(ignored, m.Path+".name")
		}
		ignored = r.appendLacking(ignored, m.Parts, lacks)
	}
	for i := range r.Tools {
		ignored = r.Tools[i].appendLacking(ignored, lacks)
	}
	return ignored
}

// isGiven reports whether the request has the field with a value other than the default. It is false for fields of
// parts, messages and tools.
func (r *Request) isGiven(f Field) bool {
	switch f { //nolint:exhaustive // no dialect may leave out the others
	case fieldVerbosity:
		return r.Verbosity != "" && r.Verbosity != "medium"
	case fieldSummary:
		return r.Reasoning.Summary != "" && r.Client == ClientResponses // messages clients get what the upstream shows
	case fieldFrequencyPenalty:
		return !isZero(r.FrequencyPenalty)
	case fieldPresencePenalty:
		return !isZero(r.PresencePenalty)
	case fieldSeed:
		return r.Seed != ""
	case FieldTopK:
		return r.TopK != ""
	case fieldParallelCalls: // with the older functions the client did not give it
		return r.ParallelCalls != nil && !*r.ParallelCalls && len(r.Tools) > 0 &&
			!strings.HasPrefix(r.Tools[0].Path, "functions")
	case fieldTier:
		return r.Tier != "" && r.Tier != "auto" && r.Tier != "default"
	case fieldTruncation:
		return r.Truncation != "" && r.Truncation != "disabled"
	case fieldUser:
		return r.User != ""
	case fieldCacheKey:
		return r.CacheKey != ""
	case fieldMetadata: // the gateway stores and returns that of a response itself
		return r.Client == ClientChat && len(r.Metadata) > len("{}")
	case fieldStore: // the gateway stores responses itself
		return r.Client == ClientChat && r.Store != nil && *r.Store
	case fieldEncrypted:
		return r.Reasoning.EncryptedField != ""
	case fieldFormatDescription:
		return r.Format.Description != ""
	}
	return false
}

// isZero reports whether n is absent or 0.
func isZero(n json.Number) bool {
	value, err := n.Float64()
	return n == "" || err == nil && value == 0
}

// appendLacking appends the paths of the fields of parts, and of parts that are left out.
func (r *Request) appendLacking(ignored []string, parts []Part, lacks func(Field) bool) []string {
	for i := range parts {
		p := &parts[i]
		if p.Type == PartPicture && lacks(fieldPicture) {
			ignored = append(ignored, p.Path)
		}
		if p.Detail != "" && p.Detail != "auto" && lacks(fieldImageDetail) {
			ignored = append(ignored, p.Path+r.detailPath())
		}
		if p.Cache != nil && lacks(fieldCacheControl) {
			ignored = append(ignored, p.CacheField)
		}
		ignored = r.appendLacking(ignored, p.Content, lacks)
	}
	return ignored
}

// detailPath returns the path of an image's detail below the path of its part.
func (r *Request) detailPath() string {
	if r.Client == ClientChat {
		return ".image_url.detail"
	}
	return ".detail"
}

// appendLacking appends the paths of the fields of the tool.
func (t *Tool) appendLacking(ignored []string, lacks func(Field) bool) []string {
	if t.Strict != nil && *t.Strict && lacks(fieldToolStrict) {
		ignored = append(ignored, t.Path+t.ObjectPath+".strict")
	}
	if lacks(fieldToolSyntax) && t.isRestricted() {
		ignored = append(ignored, t.Path+t.ObjectPath+".format")
	}
	if t.Cache != nil && lacks(fieldCacheControl) {
		ignored = append(ignored, t.Path+".cache_control")
	}
	return ignored
}

// syntax represents the format of a custom tool's text.
type syntax struct {
	Type       string `json:"type"`
	Syntax     string `json:"syntax"`
	Definition string `json:"definition"`
}

// isRestricted reports whether the tool takes free text of a certain format only.
func (t *Tool) isRestricted() bool {
	var s syntax
	return t.Custom && len(t.Syntax) > 0 && (json.Unmarshal(t.Syntax, &s) != nil || s.Type != "text")
}

// DescriptionWithSyntax returns the description of a custom tool for a dialect without formats of free text. It ends
// with the grammar, because a client often describes the text in no other place.
func (t *Tool) DescriptionWithSyntax() string {
	var s syntax
	if len(t.Syntax) == 0 || json.Unmarshal(t.Syntax, &s) != nil || s.Definition == "" {
		return t.Description
	}
	return strings.TrimSpace(t.Description + "\n\nThe input must match this grammar (" + s.Syntax +
		"):\n" + s.Definition)
}
