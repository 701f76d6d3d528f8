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

// Moved returns the names of the fields that differ between two states of a channel and that decide where its
// credentials travel, or who can read them on the way. A credential that was given for one state must not be used in
// the other one if there is such a field. The sealed proxy is compared as ciphertext, see Settings.Equal.
func Moved(before, after *Channel) (fields []string) {
	was, is := &before.Settings, &after.Settings
	for _, row := range []struct {
		field string
		same  bool
	}{
		{"type", before.Type == after.Type},
		{"base_url", before.BaseURL == after.BaseURL},
		{"settings.proxy", bytes.Equal(was.Proxy.Sealed, is.Proxy.Sealed)},
		{"settings.ca", was.CA == is.CA},
		{"settings.headers", sameRoute(was.Headers, is.Headers) && sameRoute(is.Headers, was.Headers)},
	} {
		if !row.same {
			fields = append(fields, row.field)
		}
	}
	return fields
}

// plainParameters are parameters that change how a model samples, reasons and formats its answer, and that give the
// prompt to nobody. All other parameters may do so, such as tools, tool_choice, provider, plugins and
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

// Steered returns the names of the fields that differ between two states of a channel and that decide where prompts and
// credentials go: those of Moved, the tenant whose account it is, and parameters that may give the prompt to somebody
// else. Only a person may change them.
func Steered(before, after *Channel) []string {
	fields := Moved(before, after)
	was, is := &before.Settings, &after.Settings
	if was.AccountOf != is.AccountOf {
		fields = append(fields, "settings.account_of")
	}
	if !sameSteering(was.Parameters, is.Parameters) || !sameSteering(is.Parameters, was.Parameters) {
		fields = append(fields, "settings.parameters")
	}
	return fields
}

// sameSteering reports whether every parameter that may give the prompt to somebody else has the same value in other.
func sameSteering(parameters, other map[string]json.RawMessage) bool {
	for name, value := range parameters {
		if there, ok := other[name]; (!ok || !bytes.Equal(there, value)) && !slices.Contains(plainParameters, name) {
			return false
		}
	}
	return true
}

// sameRoute reports whether every header that may route requests has the same value in other.
func sameRoute(headers, other map[string]string) bool {
	for name, value := range headers {
		if there, ok := other[name]; (!ok || there != value) &&
			!slices.ContainsFunc(plainHeaders, func(header string) bool { return strings.EqualFold(header, name) }) {
			return false
		}
	}
	return true
}
