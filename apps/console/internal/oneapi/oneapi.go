// Package oneapi converts an SQL dump of a one-api or new-api database (new-api is a fork of one-api)
// to a manifest: channels, models, prices, groups, users and tokens. It never drops anything
// silently: a Note names everything that is not imported, or that is different after the import.
//
// The conversion runs in this order, because later steps use the results of earlier ones:
//
//	options    prices and group settings
//	channels   with base URL, keys, model mapping and settings; collects the models that they serve
//	models     the served models, with prices computed from the ratios
//	groups     the models that each group may use, and its multiplier
//	people     a tenant for each user, with the user's tokens
//
// Prices in these programs: one unit of quota is 1/500,000 USD unless the options say otherwise. Input
// costs ratio x 2 USD per 1M tokens, output that times the completion ratio, and both are multiplied with
// the ratio of the user's group. Both programs take a ratio that the options lack from tables in their
// sources, which differ between versions: the notes name each price for which such a default is assumed.
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

// Note reports something that is not imported, or that is different after the import.
type Note struct {
	Thing string // channel, model, group, user, token, option or table
	Name  string
	Text  string // never shows a credential
}

// Import is the result of converting a dump.
type Import struct {
	Manifest *manifest.Manifest
	Notes    []Note // ordered by Thing, then as in the dump
	Program  string // the program that the database belongs to: one-api or new-api
}

// Options holds what the import needs and the dump does not contain.
type Options struct {
	// Domain is the domain of the e-mail addresses that users without an address get.
	Domain string
	// Password returns a new password for an operator. The passwords
	// in the dump are hashed in a way that Tollgate does not support.
	Password func() string
	// Now is the time of the import. Tokens that expire before it are expired.
	Now time.Time
}

// columns holds the columns that are read, by table. The notes name all other columns that have values.
var columns = map[string][]string{
	"channels": slices.Concat([]string{
		"id", "type", "key", "status", "name", "weight", "base_url", "other", "models", "group", "model_mapping",
		"priority", "deleted_at",
		"config", "system_prompt", // one-api
		"created_time", "channel_info", "setting", "settings", "param_override", "open_ai_organization", // new-api
	}, elsewhere),
	"tokens": {
		"id", "user_id", "key", "status", "name", "expired_time", "remain_quota", "unlimited_quota", "deleted_at",
		"models", "subnet", // one-api
		"model_limits_enabled", "model_limits", "allow_ips", "group", // new-api
	},
	"users": slices.Concat([]string{
		"id", "username", "password", "display_name", "role", "status", "email", "access_token", "quota", "group",
		"aff_quota", "deleted_at",
	}, links),
	"options": {"key", "value"},
}

// derived holds the tables that need no note because both programs compute
// them from others. abilities lists the channels by group and model.
var derivedTables = []string{"abilities"}

// Read reads a dump and converts it to a manifest. The manifest is checked only when it is parsed
// or applied. It returns an error if the dump cannot be read, or is not of one-api or new-api.
func Read(r io.Reader, o Options) (*Import, error) {
	dump, err := sqldump.Read(r, slices.Sorted(maps.Keys(columns))...)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"channels", "tokens", "users"} {
		if _, ok := dump.Fields[name]; !ok && len(dump.Rows[name]) == 0 {
			return nil, fmt.Errorf("the dump has no table %s: it is not a dump of one-api or new-api", name)
		}
	}
	if slices.Contains(dump.Fields["channels"], "only_chat") {
		return nil, errors.New("the dump is of one-hub or a fork of it, which cannot be imported: its channel types " +
			"and prices differ from one-api's")
	}
	m := &importer{Options: o, dump: dump, program: programOf(dump), manifest: &manifest.Manifest{},
		emails: map[string]bool{}, slugs: map[string]bool{}, expressions: map[string]bool{}}
	m.all()
	slices.SortStableFunc(m.notes, func(a, b Note) int { return rank(a.Thing) - rank(b.Thing) })
	return &Import{Manifest: m.manifest, Notes: m.notes, Program: m.program}, nil
}

// The programs.
const (
	oneAPI = "one-api"
	newAPI = "new-api"
)

// programOf returns the program that the dump belongs to. It
// recognizes new-api by columns that one-api does not have.
func programOf(dump *sqldump.Dump) string {
	channels, tokens := dump.Fields["channels"], dump.Fields["tokens"]
	if slices.Contains(channels, "auto_ban") || slices.Contains(channels, "tag") ||
		slices.Contains(tokens, "model_limits") {
		return newAPI
	}
	return oneAPI
}

// things holds the values of Note.Thing in the order of the notes.
var things = []string{"channel", "model", "group", "user", "token", "option", "table"}

func rank(thing string) int { return slices.Index(things, thing) }

// importer holds the state of one conversion.
type importer struct {
	Options
	dump     *sqldump.Dump
	program  string
	manifest *manifest.Manifest
	notes    []Note

	perUnit      *big.Rat // USD for one unit of quota
	ratios       ratios
	expressions  map[string]bool              // models whose price is an expression
	usable       map[string]string            // groups that every user may choose for tokens; only the keys matter
	usableBy     map[string]map[string]string // by group of the user: changes to usable, see mayUse
	servedModels map[string]*servedModel      // models that imported channels serve, by public id
	emails       map[string]bool              // e-mail addresses that are taken
	slugs        map[string]bool              // slugs that are taken
}

// note adds a note.
func (m *importer) note(thing, name, format string, args ...any) {
	m.notes = append(m.notes, Note{Thing: thing, Name: name, Text: fmt.Sprintf(format, args...)})
}

// all converts the dump, step by step.
func (m *importer) all() {
	m.sort()
	m.options()
	m.channels()
	m.declareModels()
	m.groups()
	m.people()
	m.rest()
}

// sort sorts the rows by id, and options by name, so that the dumps of all databases
// give the same manifest. PostgreSQL dumps rows in the order of their last change.
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

// perished holds the notes for tables whose rows have no use in Tollgate.
var reasons = map[string]string{
	"logs":               "are usage logs: keep the dump for past charges",
	"redemptions":        "are codes for quota: grant quota in the console instead",
	"user_subscriptions": "are subscriptions that users paid for: grant the remaining quota in the console",
}

// rest adds notes for the columns and tables that are not read.
func (m *importer) rest() {
	for _, table := range slices.Sorted(maps.Keys(columns)) {
		if unread := m.unread(table); len(unread) > 0 {
			m.note("table", table, "these columns are not imported: %s", strings.Join(unread, ", "))
		}
	}
	names := make([]string, 0, len(m.dump.Counts))
	for name, rows := range m.dump.Counts {
		if rows > 0 && columns[name] == nil && !slices.Contains(derivedTables, name) &&
			!strings.HasPrefix(name, "sqlite_") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		reason := reasons[name]
		if reason == "" {
			reason = "have no counterpart in Tollgate"
		}
		m.note("table", name, "%d rows are not imported: they %s", m.dump.Counts[name], reason)
	}
}

// unread returns the columns of the table that have a value in some row and are not read.
func (m *importer) unread(table string) (names []string) {
	set := map[string]bool{}
	for _, r := range m.dump.Rows[table] {
		for _, column := range r.Columns() {
			if !set[column] && (row{r}).isSet(column) && !slices.Contains(columns[table], column) {
				set[column] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}
