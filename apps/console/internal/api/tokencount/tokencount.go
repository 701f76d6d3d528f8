// Package tokencount has the numbers of tokens that several answers hold.
package tokencount

import "github.com/tollgate/tollgate/libs/core/usage"

// TokenCounts holds numbers of tokens by class. The classes do not overlap: their sum is Total. The name is that of the
// schema in the OpenAPI document.
type TokenCounts struct {
	Input       int64 `json:"input" doc:"Input tokens that are in none of the other classes of input"`
	CachedInput int64 `json:"cached_input" doc:"Input tokens that the upstream read from its cache"`
	CacheWrite  int64 `json:"cache_write" doc:"Input tokens that the upstream wrote to its cache"`
	AudioInput  int64 `json:"audio_input" doc:"Input tokens of audio"`
	Output      int64 `json:"output" doc:"Output tokens that are in none of the other classes of output"`
	Reasoning   int64 `json:"reasoning" doc:"Output tokens of reasoning"`
	AudioOutput int64 `json:"audio_output" doc:"Output tokens of audio"`
	Total       int64 `json:"total" doc:"Sum of all classes"`
}

// Of returns the counts of a usage.
func Of(u usage.Usage) TokenCounts {
	return TokenCounts{
		Input: u.Input, CachedInput: u.CachedInput, CacheWrite: u.CacheWrite, AudioInput: u.AudioInput,
		Output: u.Output, Reasoning: u.Reasoning, AudioOutput: u.AudioOutput, Total: u.Total(),
	}
}
