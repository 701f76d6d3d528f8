package catalog

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// plainHeaders are headers that providers read and that route no request to another server. All other headers of the
// settings may do so: gateways exist that forward a request to the address in one of its headers.
var plainHeaders = []string{
	"Anthropic-Beta", "Anthropic-Version", "HTTP-Referer", "OpenAI-Beta", "OpenAI-Organization", "OpenAI-Project",
	"Referer", "User-Agent", "X-Title",
}

// CredentialRouteChanges returns the names of the fields that differ between two states of a channel and that decide
// where its credentials are sent, or who can read them on the way. A credential that was given for one state must not
// be used in the other one if there is such a field. The sealed proxy is compared as ciphertext, see Settings.Equal.
func CredentialRouteChanges(before, after *Channel) (fields []string) {
	older, newer := &before.Settings, &after.Settings
	for _, row := range []struct {
		field string
		same  bool
	}{
		{"type", before.Type == after.Type},
		{"base_url", before.BaseURL == after.BaseURL},
		{"settings.proxy", bytes.Equal(older.Proxy.Sealed, newer.Proxy.Sealed)},
		{"settings.ca", older.CA == newer.CA},
		{"settings.headers", sameHeaders(older.Headers, newer.Headers) && sameHeaders(newer.Headers, older.Headers)},
	} {
		if !row.same {
			fields = append(fields, row.field)
		}
	}
	return fields
}

// plainParameters are parameters that change how a model samples, reasons and formats its answer, and that give the
// prompt to no third party. All other parameters may do so, such as tools, tool_choice, provider, plugins and
// web_search_options.
var plainParameters = []string{
	"cache_control", "chat_template_kwargs", "effort", "enable_thinking", "frequency_penalty", "include",
	"include_reasoning", "logit_bias", "logprobs",
	"max_tool_calls", "metadata", "min_p", "modalities", "output_config", "parallel_tool_calls", "presence_penalty",
	"prompt_cache_key",
	"prompt_cache_retention", "reasoning", "reasoning_effort", "reasoning_format", "repetition_penalty",
	"response_format", "safety_identifier", "seed",
	"service_tier", "stop", "stop_sequences", "temperature", "text", "thinking", "thinking_budget", "thinking_config",
	"top_k", "top_logprobs", "top_p",
	"truncation", "user", "verbosity",
}

// RouteChanges returns the names of the fields that differ between two states of a channel and that decide where
// prompts and credentials are sent: those of CredentialRouteChanges, the tenant whose account it is, and parameters
// that may send the prompt to a third party. Only a person may change them.
func RouteChanges(before, after *Channel) []string {
	fields := CredentialRouteChanges(before, after)
	older, newer := &before.Settings, &after.Settings
	if older.AccountOf != newer.AccountOf {
		fields = append(fields, "settings.account_of")
	}
	if !sameParameters(older.Parameters, newer.Parameters) || !sameParameters(newer.Parameters, older.Parameters) {
		fields = append(fields, "settings.parameters")
	}
	return fields
}

// sameParameters reports whether every parameter that may send the prompt to a third party has the same value in other.
func sameParameters(parameters, other map[string]json.RawMessage) bool {
	for name, value := range parameters {
		otherValue, ok := other[name]
		if (!ok || !bytes.Equal(otherValue, value)) && !slices.Contains(plainParameters, name) {
			return false
		}
	}
	return true
}

// sameHeaders reports whether every header that may route requests has the same value in other.
func sameHeaders(headers, other map[string]string) bool {
	for name, value := range headers {
		if otherValue, ok := other[name]; (!ok || otherValue != value) &&
			!slices.ContainsFunc(plainHeaders, func(header string) bool { return strings.EqualFold(header, name) }) {
			return false
		}
	}
	return true
}
