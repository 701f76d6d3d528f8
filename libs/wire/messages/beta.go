package messages

import (
	"slices"
	"strings"
)

// betas are the features of Anthropic's API that clients may ask for with the header anthropic-beta. Not among them are
// features that refer to what an account stores, because tenants share the account (files, skills, containers), that
// have prices of their own (fast mode), or that give access to an account (OAuth).
var betas = []string{
	"adaptive-thinking-2026-01-28", "advanced-tool-use-2025-11-20", "claude-code-20250219", "compact-2026-01-12",
	"computer-use-2024-10-22", "computer-use-2025-01-24", "computer-use-2025-11-24", "context-1m-2025-08-07",
	"context-management-2025-06-27", "effort-2025-11-24", "extended-cache-ttl-2025-04-11",
	"fine-grained-tool-streaming-2025-05-14",
	"interleaved-thinking-2025-05-14", "max-tokens-3-5-sonnet-2024-07-15", "model-context-window-exceeded-2025-08-26",
	"output-128k-2025-02-19", "pdfs-2024-09-25", "prompt-caching-2024-07-31", "prompt-caching-scope-2026-01-05",
	"redact-thinking-2026-02-12", "structured-outputs-2025-11-13", "structured-outputs-2025-12-15",
	"token-counting-2024-11-01",
	"token-efficient-tools-2025-02-19", "tool-examples-2025-10-29", "tool-search-tool-2025-10-19",
	"web-fetch-2025-09-10",
}

// AllowedBetas splits the values of the header anthropic-beta into the features that a client may have and the others,
// each as a list with commas. Names of others that are too long or look like no name are in neither list.
func AllowedBetas(values []string) (allowed, dropped string) {
	for _, value := range values {
		for name := range strings.SplitSeq(value, ",") {
			switch name = strings.TrimSpace(name); {
			case name == "":
			case slices.Contains(betas, name):
				allowed = appendName(allowed, name)
			case len(dropped)+len(name) < maxDroppedNames && isName(name):
				dropped = appendName(dropped, name)
			}
		}
	}
	return allowed, dropped
}

// maxDroppedNames bounds the list of dropped features that a client gets back, in bytes.
const maxDroppedNames = 512

// isName reports whether a text looks like the name of a feature.
func isName(name string) bool {
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == ""
}

// appendName appends a name to a list with commas.
func appendName(list, name string) string {
	if list == "" {
		return name
	}
	return list + "," + name
}
