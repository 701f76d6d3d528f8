// Package oneapi turns the database of a one-api, or of a program that began as
// one, into a manifest: its channels, models, prices, groups, users and tokens.
// It reads a dump, not the database, and decides nothing in silence: what is
// not carried over, or is carried over otherwise than it was, is in the notes,
// by name.
//
// What it knows of these programs: one unit of quota is 1/500,000 USD; a model
// costs ratio x 2 USD per 1M tokens, its output that times its completion
// ratio, and all of it times the ratio of the user's group. Clients send
// tokens as "sk-" and the key.
package oneapi

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/sqldump"
	"github.com/tollgate/tollgate/libs/manifest"
)

// Note is something that is not carried over, or otherwise than it was.
type Note struct {
	Thing string // channel, model, group, user, token, option or table
	Name  string
	Text  string // never shows a credential
}

// Import is what became of a dump.
type Import struct {
	Manifest *manifest.Manifest
	Notes    []Note // by thing, in the order of the dump
	Program  string // whose database it is: one-api or new-api
}

// Options are what the dump does not tell.
type Options struct {
	// Domain is that of the addresses that users without one are given.
	Domain string
	// Password makes the password of a new operator: those of the dump are
	// hashed in another way and cannot be used.
	Password func() string
	// Now is when tokens that expire before it are expired.
	Now time.Time
}

// columns are those that are read, of the tables that are.
var columns = map[string][]string{
	"channels": slices.Concat([]string{
		"id", "type", "key", "status", "name", "weight", "base_url", "other", "models", "group", "model_mapping", "priority", "deleted_at",
		"config", "system_prompt", // one-api
		"channel_info", "setting", "settings", "param_override", "open_ai_organization", // new-api
	}, elsewhere),
	"tokens": {
		"id", "user_id", "key", "status", "name", "expired_time", "remain_quota", "unlimited_quota", "deleted_at",
		"models", "subnet", // one-api
		"model_limits_enabled", "model_limits", "allow_ips", "group", // new-api
	},
	"users": slices.Concat([]string{
		"id", "username", "password", "display_name", "role", "status", "email", "access_token", "quota", "group", "aff_quota", "deleted_at",
	}, links),
	"options": {"key", "value"},
}

// derived are tables that hold nothing of their own: those of the channels by
// group and model.
var derived = []string{"abilities"}

// Read reads a dump and makes a manifest of it. The manifest is not checked
// yet: applying or parsing it does that.
func Read(r io.Reader, o Options) (*Import, error) {
	dump, err := sqldump.Read(r, slices.Sorted(maps.Keys(columns))...)
	if err != nil {
		return nil, err
	}
	for _, needed := range []string{"channels", "tokens", "users"} {
		if _, found := dump.Fields[needed]; !found && len(dump.Rows[needed]) == 0 {
			return nil, fmt.Errorf("the dump has no table %s: it is not one of one-api or new-api", needed)
		}
	}
	if slices.Contains(dump.Fields["channels"], "only_chat") {
		return nil, errors.New("the dump is one of one-hub, or of a program that began as it: its types of channels and its prices are others, and are not read")
	}
	m := &importer{Options: o, dump: dump, program: programOf(dump), manifest: &manifest.Manifest{}, emails: map[string]bool{}, slugs: map[string]bool{}, expressions: map[string]bool{}}
	m.all()
	slices.SortStableFunc(m.notes, func(a, b Note) int { return rank(a.Thing) - rank(b.Thing) })
	return &Import{Manifest: m.manifest, Notes: m.notes, Program: m.program}, nil
}

// The programs.
const (
	oneAPI = "one-api"
	newAPI = "new-api"
)

// programOf tells by a column that only the younger one has.
func programOf(dump *sqldump.Dump) string {
	channels, tokens := dump.Fields["channels"], dump.Fields["tokens"]
	if slices.Contains(channels, "auto_ban") || slices.Contains(channels, "tag") || slices.Contains(tokens, "model_limits") {
		return newAPI
	}
	return oneAPI
}

var things = []string{"channel", "model", "group", "user", "token", "option", "table"}

func rank(thing string) int { return slices.Index(things, thing) }

// importer makes one manifest.
type importer struct {
	Options
	dump     *sqldump.Dump
	program  string
	manifest *manifest.Manifest
	notes    []Note

	perUnit     *big.Rat // USD
	ratios      ratios
	expressions map[string]bool              // models whose price is one
	usable      map[string]string            // groups that tokens may have
	usableBy    map[string]map[string]string // what else users of a group may use, or with a minus before it may not
	served      map[string]*servedModel      // by public id, those of channels that are carried over
	emails      map[string]bool              // taken
	slugs       map[string]bool              // taken
}

func (m *importer) note(thing, name, format string, args ...any) {
	m.notes = append(m.notes, Note{Thing: thing, Name: name, Text: fmt.Sprintf(format, args...)})
}

func (m *importer) all() {
	m.sort()
	m.options()
	m.channels()
	m.models()
	m.groups()
	m.people()
	m.rest()
}

// sort puts the rows in the order in which they were made: PostgreSQL dumps
// them as they lie, which is by the last change of each.
func (m *importer) sort() {
	for table, rows := range m.dump.Rows {
		slices.SortStableFunc(rows, func(a, b sqldump.Row) int {
			if table == "options" {
				return strings.Compare(row{a}.text("key"), row{b}.text("key"))
			}
			return cmp.Compare(row{a}.number("id", 0), row{b}.number("id", 0))
		})
	}
}

// perished are tables whose rows are of no use elsewhere.
var perished = map[string]string{
	"logs":               "are the old program's usage logs: keep the dump, or that program, for bills of the past",
	"redemptions":        "are codes for quota: grant quota in the console instead",
	"user_subscriptions": "are paid for: grant what is left of them in the console",
}

// rest tells of the columns and tables that are not read.
func (m *importer) rest() {
	for _, table := range slices.Sorted(maps.Keys(columns)) {
		if unread := m.unread(table); len(unread) > 0 {
			m.note("table", table, "these columns are not carried over: %s", strings.Join(unread, ", "))
		}
	}
	names := make([]string, 0, len(m.dump.Counts))
	for name, rows := range m.dump.Counts {
		if rows > 0 && columns[name] == nil && !slices.Contains(derived, name) && !strings.HasPrefix(name, "sqlite_") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		why := perished[name]
		if why == "" {
			why = "have no counterpart here"
		}
		m.note("table", name, "%d rows are not carried over: they %s", m.dump.Counts[name], why)
	}
}

// unread are the columns that somebody set and that are not read.
func (m *importer) unread(table string) (names []string) {
	set := map[string]bool{}
	for _, r := range m.dump.Rows[table] {
		for column := range r {
			if !set[column] && (row{r}).says(column) && !slices.Contains(columns[table], column) {
				set[column] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}
