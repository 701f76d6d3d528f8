package export

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// row is a usage log as files show it: what the list of usage logs shows to
// everybody who reaches the log, and nothing of what upstreams said.
type row struct {
	ID          uuid.UUID    `json:"id"`
	CreatedAt   time.Time    `json:"created_at"`
	TenantID    uuid.UUID    `json:"tenant_id"`
	User        string       `json:"user_email"`
	Token       string       `json:"token_name"`
	Model       string       `json:"model"`
	Channel     string       `json:"channel"`
	Endpoint    string       `json:"endpoint"`
	Stream      bool         `json:"stream"`
	Outcome     string       `json:"outcome"`
	Status      int          `json:"status"`
	Error       string       `json:"error"`
	Input       int64        `json:"input_tokens"`
	CachedInput int64        `json:"cached_input_tokens"`
	CacheWrite  int64        `json:"cache_write_tokens"`
	AudioInput  int64        `json:"audio_input_tokens"`
	Output      int64        `json:"output_tokens"`
	Reasoning   int64        `json:"reasoning_tokens"`
	AudioOutput int64        `json:"audio_output_tokens"`
	Estimated   bool         `json:"estimated"`
	Cost        money.Amount `json:"cost"`
	Quota       money.Amount `json:"quota"`
	LatencyMS   int64        `json:"latency_ms"`
	FirstByteMS int64        `json:"first_byte_ms"`
}

func rowOf(l *usage.Log, n *names) row {
	u := &l.Usage
	return row{
		ID: l.ID, CreatedAt: l.CreatedAt.UTC(), TenantID: l.TenantID, User: n.users.known[l.UserID], Token: n.tokens.known[l.TokenID],
		Model: l.Model, Channel: n.channels.known[l.ChannelID], Endpoint: l.Dialect, Stream: l.Stream,
		Outcome: string(l.Outcome), Status: l.Status, Error: l.Error,
		Input: u.Input, CachedInput: u.CachedInput, CacheWrite: u.CacheWrite, AudioInput: u.AudioInput,
		Output: u.Output, Reasoning: u.Reasoning, AudioOutput: u.AudioOutput, Estimated: l.Estimated,
		Cost: l.Cost, Quota: l.Quota, LatencyMS: l.Latency.Milliseconds(), FirstByteMS: l.FirstByte.Milliseconds(),
	}
}

var columns = []string{
	"id", "created_at", "tenant_id", "user_email", "token_name", "model", "channel", "endpoint", "stream", "outcome", "status", "error",
	"input_tokens", "cached_input_tokens", "cache_write_tokens", "audio_input_tokens",
	"output_tokens", "reasoning_tokens", "audio_output_tokens", "estimated", "cost", "quota", "latency_ms", "first_byte_ms",
}

// cells are the row's values in the order of columns.
func (r *row) cells() []string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	return []string{
		r.ID.String(), r.CreatedAt.Format(time.RFC3339Nano), r.TenantID.String(), cell(r.User), cell(r.Token), cell(r.Model),
		cell(r.Channel), cell(r.Endpoint), strconv.FormatBool(r.Stream), cell(r.Outcome), strconv.Itoa(r.Status), cell(r.Error),
		number(r.Input), number(r.CachedInput), number(r.CacheWrite), number(r.AudioInput),
		number(r.Output), number(r.Reasoning), number(r.AudioOutput), strconv.FormatBool(r.Estimated),
		r.Cost.String(), r.Quota.String(), number(r.LatencyMS), number(r.FirstByteMS),
	}
}

// formulas are what spreadsheets begin a formula with, in both widths.
const formulas = "=+-@\uFF1D\uFF0B\uFF0D\uFF20"

// cell makes a text that no spreadsheet takes for a formula: an apostrophe
// stands before what looks like one. Control characters become blanks.
func cell(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	if first := strings.TrimLeftFunc(text, unicode.IsSpace); first != "" && strings.ContainsAny(first[:runeLength(first)], formulas) {
		return "'" + text
	}
	return text
}

// runeLength is how many bytes the first character has.
func runeLength(text string) int {
	for i := range text {
		if i > 0 {
			return i
		}
	}
	return len(text)
}

// part is a piece of a file, compressed by itself.
type part struct {
	compressed bytes.Buffer
	gzip       *gzip.Writer
	counted    counter
	format     job.ExportFormat
	csv        *csv.Writer
	json       *json.Encoder
	begun      time.Time
}

// counter counts what is written through it.
type counter struct {
	to io.Writer
	n  int64
}

// Write counts what to takes.
func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

func newPart(format job.ExportFormat) *part {
	p := &part{format: format}
	p.gzip, _ = gzip.NewWriterLevel(&p.compressed, gzip.BestSpeed) // the level is one of its own
	p.counted.to = p.gzip
	p.csv = csv.NewWriter(&p.counted)
	p.csv.UseCRLF = true
	p.json = json.NewEncoder(&p.counted)
	p.json.SetEscapeHTML(false)
	p.begun = time.Now()
	return p
}

// begin writes what stands before the first row of a file.
func (p *part) begin() {
	if p.format == job.CSV {
		_ = p.csv.Write(columns) // into memory
	}
}

func (p *part) write(l *usage.Log, n *names) error {
	r := rowOf(l, n)
	var err error
	if p.format == job.CSV {
		err = p.csv.Write(r.cells())
	} else {
		err = p.json.Encode(r)
	}
	if err != nil {
		return fmt.Errorf("encode a row: %w", err)
	}
	return nil
}

// full tells whether the part is worth to be saved.
func (p *part) full(bytes int) bool {
	return p.compressed.Len() >= bytes || time.Since(p.begun) >= partAge
}

// close returns the part and its size before it was compressed; nil where
// nothing was written.
func (p *part) close() (data []byte, size int64, err error) {
	p.csv.Flush()
	if err := p.csv.Error(); err != nil {
		return nil, 0, fmt.Errorf("encode rows: %w", err)
	}
	if p.counted.n == 0 {
		return nil, 0, nil
	}
	err = p.gzip.Close()
	return p.compressed.Bytes(), p.counted.n, err
}

// reset begins the next part of the file.
func (p *part) reset() {
	p.compressed.Reset()
	p.gzip.Reset(&p.compressed)
	p.counted.n = 0
	p.begun = time.Now()
}
