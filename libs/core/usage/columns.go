package usage

import "slices"

// Column describes one field of a Log: the relay's spool, the database and
// exported files are all derived from Columns.
type Column struct {
	Name     string // column of the table usage_logs
	Number   int    // field number in the relay's spool, which keeps it forever; below 1,000
	Export   string // column of exported files; "" keeps the field out of them
	Bill     bool   // the bill is recomputed from the field, or compared with it
	Nullable bool   // the database stores the zero value as NULL, which takes no room
	Operator bool   // only operators may see the field, and only their files have it

	// Field returns a pointer to the field. Its type is one of *uuid.UUID, *string, *int64, *int, *bool,
	// *money.Amount, **money.Amount (nil is NULL), *time.Time, *time.Duration, *[]Attempt and *Tags.
	Field func(*Log) any
}

// Columns lists every field of a Log, in the order of exported files. To add a
// field to the usage logs, add it to Log and here; see the package
// documentation of store/metering for the other places.
//
// Spool numbers: 69 is Event.Leased. The next new column takes 99: numbers below it
// that no column has were used, and no number is ever used again. A new exported column comes after all
// exported columns, because programs read files by position. Classes and Parts have
// the columns of token counts.
var Columns = slices.Concat([]Column{
	{Name: "id", Number: 1, Export: "id", Bill: true, Field: func(l *Log) any { return &l.ID }},
	{Name: "created_at", Number: 67, Export: "created_at", Bill: true, Field: func(l *Log) any { return &l.CreatedAt }},
	{Name: "tenant_id", Number: 2, Export: "tenant_id", Bill: true, Field: func(l *Log) any { return &l.TenantID }},
	{Name: "user_id", Number: 3, Export: "user_email", Field: func(l *Log) any { return &l.UserID }},
	{Name: "token_id", Number: 4, Export: "token_name", Field: func(l *Log) any { return &l.TokenID }},
	{Name: "model", Number: 16, Export: "model", Bill: true, Field: func(l *Log) any { return &l.Model }},
	{Name: "channel_id", Number: 6, Export: "channel", Nullable: true, Bill: true,
		Field: func(l *Log) any { return &l.ChannelID }},
	{Name: "dialect", Number: 18, Export: "endpoint", Field: func(l *Log) any { return &l.Dialect }},
	{Name: "stream", Number: 64, Export: "stream", Field: func(l *Log) any { return &l.Stream }},
	{Name: "outcome", Number: 19, Export: "outcome", Bill: true,
		Field: func(l *Log) any { return (*string)(&l.Outcome) }},
	{Name: "status", Number: 66, Export: "status", Field: func(l *Log) any { return &l.Status }},
	{Name: "error", Number: 20, Export: "error", Bill: true, Field: func(l *Log) any { return &l.Error }},
}, classColumns(), []Column{
	{Name: "estimated", Number: 65, Export: "estimated", Field: func(l *Log) any { return &l.Estimated }},
	{Name: "cost", Number: 39, Export: "cost", Bill: true, Field: func(l *Log) any { return &l.Cost }},
	{Name: "quota", Number: 40, Export: "quota", Bill: true, Field: func(l *Log) any { return &l.Quota }},
	{Name: "latency_us", Number: 41, Export: "latency_ms", Field: func(l *Log) any { return &l.Latency }},
	{Name: "first_byte_us", Number: 42, Export: "first_byte_ms", Field: func(l *Log) any { return &l.FirstByte }},
}, partColumns(Parts[:middleParts]), []Column{
	{Name: "service_tier", Number: 74, Export: "service_tier", Bill: true, Nullable: true,
		Field: func(l *Log) any { return &l.Usage.ServiceTier }},
	{Name: "web_search_calls", Number: 75, Export: "web_search_calls", Bill: true, Nullable: true,
		Field: func(l *Log) any { return &l.Usage.WebSearchCalls }},
	{Name: "file_search_calls", Number: 76, Export: "file_search_calls", Bill: true, Nullable: true,
		Field: func(l *Log) any { return &l.Usage.FileSearchCalls }},
	{Name: "code_interpreter_sessions", Number: 77, Export: "code_interpreter_sessions", Bill: true, Nullable: true,
		Field: func(l *Log) any { return &l.Usage.CodeInterpreterSessions }},
	{Name: "image_generation_input_tokens", Number: 78, Export: "image_generation_input_tokens", Bill: true,
		Nullable: true, Field: func(l *Log) any { return &l.Usage.ImageGenerationInput }},
	{Name: "image_generation_image_input_tokens", Number: 79, Export: "image_generation_image_input_tokens", Bill: true,
		Nullable: true, Field: func(l *Log) any { return &l.Usage.ImageGenerationImageInput }},
	{Name: "image_generation_output_tokens", Number: 80, Export: "image_generation_output_tokens", Bill: true,
		Nullable: true, Field: func(l *Log) any { return &l.Usage.ImageGenerationOutput }},
	{Name: "end_user", Number: 90, Export: "end_user", Nullable: true, Field: func(l *Log) any { return &l.EndUser }},
	{Name: "tags", Number: 91, Export: "tags", Nullable: true, Field: func(l *Log) any { return &l.Tags }},
	{Name: "group_id", Number: 5, Nullable: true, Bill: true, Field: func(l *Log) any { return &l.GroupID }},
	{Name: "relay_id", Number: 7, Nullable: true, Field: func(l *Log) any { return &l.RelayID }},
	{Name: "client", Number: 98, Nullable: true, Field: func(l *Log) any { return &l.Client }},
	{Name: "price_id", Number: 8, Nullable: true, Bill: true, Field: func(l *Log) any { return &l.PriceID }},
	{Name: "rule_id", Number: 9, Nullable: true, Bill: true, Field: func(l *Log) any { return &l.RuleID }},
	{Name: "formula", Number: 71, Bill: true, Field: func(l *Log) any { return &l.Formula }},
	{Name: "upstream_model", Number: 17, Bill: true, Field: func(l *Log) any { return &l.UpstreamModel }},
	{Name: "supplier_cost", Number: 85, Export: "supplier_cost", Operator: true, Bill: true,
		Field: func(l *Log) any { return &l.SupplierCost }},
	{Name: "cost_id", Number: 86, Export: "cost_id", Operator: true, Nullable: true, Bill: true,
		Field: func(l *Log) any { return &l.CostID }},
	{Name: "unpriced", Number: 95, Field: func(l *Log) any { return &l.Unpriced }},
	{Name: "reported_cost", Number: 81, Export: "reported_cost", Operator: true, Nullable: true, Bill: true,
		Field: func(l *Log) any { return &l.Usage.ReportedCost }},
	{Name: "ignored_fields", Number: 97, Export: "ignored_fields", Nullable: true,
		Field: func(l *Log) any { return &l.IgnoredFields }},
	{Name: "attempts", Number: 68, Bill: true, Field: func(l *Log) any { return &l.Attempts }},
}, partColumns(Parts[middleParts:]))

// middleParts is the number of Parts whose columns are in the middle of exported files. Those of later parts are
// appended at the end, because programs read files by position.
const middleParts = 3
