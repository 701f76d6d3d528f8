package resource

import "github.com/google/uuid"

// UnpricedCalls holds the numbers of calls whose provider charged for something without a price.
type UnpricedCalls struct {
	Days  int            `json:"days" doc:"Number of days (UTC) that the numbers cover, with today"`
	Items []UnpricedCall `json:"items" doc:"The largest numbers first, at most 200"`
}

// UnpricedCall is the number of calls of one channel with one kind of charge.
type UnpricedCall struct {
	ChannelID uuid.UUID `json:"channel_id"`
	Channel   string    `json:"channel" doc:"Name of the channel; empty if it no longer exists"`
	Kind      string    `json:"kind" doc:"What the provider may have charged for: service_tier, web_search, file_search, code_interpreter, image_generation, other_tool, image_output, audio_output or cache_write_1h"`
	Calls     int64     `json:"calls" doc:"Number of calls that asked for it, or whose answer shows it, while the model had no price for it"`
}
