package pricecatalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/displaytext"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// The bounds of a file.
const (
	MaxBytes   = 4 << 20
	MaxEntries = 5_000

	maxDepth   = 16
	maxAliases = 50
	maxText    = 500
	maxTokens  = 1_000_000_000
	// maxRate is the largest rate, in USD. The dearest models cost hundreds of dollars per million tokens.
	maxRate = 10_000 * money.USD
)

// Parse returns the catalog of a file. For a file with a fault it returns an InvalidType problem, which names the entry
// and the field, and no catalog.
func Parse(text []byte) (*Catalog, error) {
	root, err := tree(text)
	if err != nil {
		return nil, err
	}
	p := parser{}
	c := p.catalog(root)
	if p.fault != nil {
		return nil, p.fault
	}
	return c, nil
}

// tree returns the file's JSON as nested maps and lists. It refuses what encoding/json accepts without a word: invalid
// UTF-8, duplicate names, names in upper case, which encoding/json takes for the lower-case field, and text after the
// end.
func tree(text []byte) (any, error) {
	if len(text) > MaxBytes {
		return nil, problem.New(problem.InvalidType, "the file is larger than %d bytes", MaxBytes).At("file")
	}
	if !utf8.Valid(text) {
		return nil, problem.New(problem.InvalidType, "the file is not valid UTF-8").At("file")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	root, err := value(decoder, "", 0)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, problem.New(problem.InvalidType, "the file has text after the end of its JSON object").At("file")
	}
	return root, nil
}

var names = regexp.MustCompile(`^[a-z0-9_]{1,64}$`)

// value reads one value. path names it in errors.
func value(decoder *json.Decoder, path string, depth int) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, problem.New(problem.InvalidType, "the file is not valid JSON near byte %d", decoder.InputOffset()).
			At(orFile(path))
	}
	if depth > maxDepth {
		return nil, problem.New(problem.InvalidType, "the file is nested more than %d levels deep", maxDepth).
			At(orFile(path))
	}
	switch token {
	case json.Delim('{'):
		return object(decoder, path, depth)
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			element, err := value(decoder, fmt.Sprintf("%s[%d]", path, len(list)), depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, element)
		}
		return list, end(decoder, path)
	}
	return token, nil
}

func object(decoder *json.Decoder, path string, depth int) (any, error) {
	members := map[string]any{}
	for decoder.More() {
		token, err := decoder.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return nil, problem.New(problem.InvalidType, "the file is not valid JSON near byte %d",
				decoder.InputOffset()).At(orFile(path))
		}
		if !names.MatchString(name) {
			return nil,
				problem.New(problem.InvalidType,
					"%q is not the name of a field: names have lower-case letters, digits and _", clip(name, 64)).
					At(orFile(path))
		}
		at := join(path, name)
		if _, twice := members[name]; twice {
			return nil, problem.New(problem.InvalidType, "%s is named twice", at).At(at)
		}
		if members[name], err = value(decoder, at, depth+1); err != nil {
			return nil, err
		}
	}
	return members, end(decoder, path)
}

// end reads the end of an object or a list.
func end(decoder *json.Decoder, path string) error {
	if _, err := decoder.Token(); err != nil {
		return problem.New(problem.InvalidType, "the file is not valid JSON near byte %d", decoder.InputOffset()).
			At(orFile(path))
	}
	return nil
}

// clip returns the text, cut to at most so many bytes.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// orFile returns the path of a value, or "file" for the value that is the whole file.
func orFile(path string) string {
	if path == "" {
		return "file"
	}
	return path
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// parser converts the tree. It keeps the first fault and reads on, so that each function below stays a list of fields.
type parser struct {
	entry string // how errors name the present entry; "" outside of entries
	fault error
}

// refuse records a fault at a field, unless there is one already.
func (p *parser) refuse(path, format string, args ...any) {
	if p.fault != nil {
		return
	}
	text := path + ": " + fmt.Sprintf(format, args...)
	if p.entry != "" {
		text = "entry " + p.entry + ": " + text
	}
	p.fault = problem.New(problem.InvalidType, "%s", text).At(path)
}

func (p *parser) catalog(root any) *Catalog {
	c := &Catalog{byName: map[string][]int{}}
	o := p.object(root, "file", "version", "updated", "entries")
	if version := p.whole(o, "version", 1); version != 1 {
		p.refuse("version", "must be 1, the only version of the format")
	}
	c.Updated = p.day(o, "updated")
	list, ok := o.at["entries"].([]any)
	switch {
	case !ok || len(list) == 0:
		p.refuse("entries", "must be a list of at least one entry")
	case len(list) > MaxEntries:
		p.refuse("entries", "has %d entries; at most %d are allowed", len(list), MaxEntries)
		return c
	}
	for i, item := range list {
		if p.fault != nil {
			break
		}
		c.Entries = append(c.Entries, p.one(item, i))
		p.index(c, i)
	}
	return c
}

// index adds the names of the entry i to the catalog, and refuses a name that another entry of the provider has.
func (p *parser) index(c *Catalog, i int) {
	entry := &c.Entries[i]
	for n, name := range append([]string{entry.Model}, entry.Aliases...) {
		for _, full := range [...]string{name, entry.Provider + "/" + name} {
			for _, j := range c.byName[full] {
				if c.Entries[j].Provider == entry.Provider {
					field := "model"
					if n > 0 {
						field = fmt.Sprintf("aliases[%d]", n-1)
					}
					p.refuse(fmt.Sprintf("entries[%d].%s", i, field), "%q is named twice for the provider", name)
					return
				}
			}
		}
		c.byName[name] = append(c.byName[name], i)
		c.byName[entry.Provider+"/"+name] = append(c.byName[entry.Provider+"/"+name], i)
	}
}

var providers = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

func (p *parser) one(item any, i int) (e Entry) {
	path := fmt.Sprintf("entries[%d]", i)
	p.entry = strconv.Itoa(i)
	defer func() { p.entry = "" }()
	o := p.object(item, path, "provider", "model", "aliases", "price", "context_length", "max_output_tokens",
		"modalities", "source", "read", "checked", "note")
	e.Provider, e.Model = p.text(o, "provider"), p.text(o, "model")
	if !providers.MatchString(e.Provider) {
		p.refuse(o.path("provider"), "must be 1 to 40 lower-case letters, digits and -")
	}
	p.model(o.path("model"), e.Model)
	p.entry = fmt.Sprintf("%d (%s)", i, clip(e.ID(), 80))
	e.Aliases = p.aliases(o)
	e.Price = p.price(o)
	e.ContextLength, e.MaxOutputTokens = p.whole(o, "context_length", 0), p.whole(o, "max_output_tokens", 0)
	if inner, ok := o.at["modalities"]; ok {
		m := p.object(inner, o.path("modalities"), "input", "output")
		e.Input, e.Output = p.modalities(m, "input"), p.modalities(m, "output")
	}
	e.Source, e.Read, e.Note = p.source(o), p.day(o, "read"), p.note(o)
	checked, has := o.at["checked"]
	truth, ok := checked.(bool)
	if has && !ok {
		p.refuse(o.path("checked"), "must be true or false")
	}
	e.Checked = truth
	return e
}

// fields are the fields of an object.
type fields struct {
	name string
	at   map[string]any
}

func (f fields) path(field string) string {
	if f.name == "file" {
		return field
	}
	return f.name + "." + field
}

// object returns the fields of an object, and refuses those that are not known.
func (p *parser) object(value any, path string, names ...string) fields {
	members, ok := value.(map[string]any)
	if !ok {
		p.refuse(path, "must be an object")
	}
	o := fields{path, members}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(names, name) {
			p.refuse(o.path(name), "is not a known field; the known fields are %s", strings.Join(names, ", "))
		}
	}
	return o
}

// text returns a required text.
func (p *parser) text(o fields, field string) string {
	text, ok := o.at[field].(string)
	if !ok || text == "" || len(text) > maxText {
		p.refuse(o.path(field), "must be a text of 1 to %d bytes", maxText)
	}
	return text
}

// whole returns a whole number that is at least the given one, or 0 if the object does not name it.
func (p *parser) whole(o fields, field string, minimum int64) int64 {
	value, ok := o.at[field]
	if !ok && minimum == 0 {
		return 0
	}
	number, _ := value.(json.Number)
	n, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil || n < max(1, minimum) || n > maxTokens {
		p.refuse(o.path(field), "must be a whole number from %d to %d", max(1, minimum), maxTokens)
	}
	return n
}

// day returns a required day.
func (p *parser) day(o fields, field string) time.Time {
	text, _ := o.at[field].(string)
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || day.Year() < 2020 {
		p.refuse(o.path(field), "must be a day such as 2026-01-31")
	}
	return day
}

func (p *parser) source(o fields) string {
	text := p.text(o, "source")
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || !displaytext.Valid(text) {
		p.refuse(o.path("source"), "must be an https URL without credentials")
	}
	return text
}

// note returns the note, "" if there is none.
func (p *parser) note(o fields) string {
	if _, ok := o.at["note"]; !ok {
		return ""
	}
	text := p.text(o, "note")
	if !displaytext.Valid(text) {
		p.refuse(o.path("note"), "must not have control characters")
	}
	return text
}

func (p *parser) model(path, id string) {
	if catalog.CheckModelID(id) != nil || strings.Contains(id, "..") {
		p.refuse(path, "must be 1 to 200 letters, digits and ._:/@+- that begin with a letter or digit, without ..")
	}
}

func (p *parser) aliases(o fields) (aliases []string) {
	value, ok := o.at["aliases"]
	if !ok {
		return nil
	}
	list, ok := value.([]any)
	if !ok || len(list) > maxAliases {
		p.refuse(o.path("aliases"), "must be a list of at most %d ids", maxAliases)
		return nil
	}
	for i, item := range list {
		alias, _ := item.(string)
		p.model(fmt.Sprintf("%s[%d]", o.path("aliases"), i), alias)
		aliases = append(aliases, alias)
	}
	return aliases
}

func (p *parser) modalities(o fields, field string) (modes []catalog.Modality) {
	list, ok := o.at[field].([]any)
	if !ok || len(list) == 0 {
		p.refuse(o.path(field), "must be a list of at least one modality")
	}
	for i, item := range list {
		modality, _ := item.(string)
		if modes = append(modes, catalog.Modality(modality)); i == maxDepth {
			break // CheckModalities finds one that is named twice
		}
	}
	if err := catalog.CheckModalities(field, modes); err != nil {
		p.refuse(o.path(field), "%s", problem.From(err).Message)
	}
	return modes
}

// price returns the rates. Package pricing defines their fields; this function only decides which values it accepts.
func (p *parser) price(o fields) (rates pricing.Rates) {
	price, ok := o.at["price"].(map[string]any)
	if !ok {
		p.refuse(o.path("price"), "must be an object of rates")
		return rates
	}
	for at, leaf := range leaves(price, "") {
		if leaf == nil {
			p.refuse(o.path("price")+at, "has no value: leave the field out")
		}
		if text, ok := leaf.(string); ok {
			if rate, err := money.Parse(text); err == nil && (rate < 0 || rate > maxRate) {
				p.refuse(o.path("price")+at, "must be from 0 to %s", maxRate)
			}
		}
	}
	if err := decodeRates(price, &rates); err != nil {
		at, text := culprit(price)
		p.refuse(o.path("price")+at, "%s", text)
		return rates
	}
	if err := rates.Check(true); err != nil {
		fault := problem.From(err)
		p.refuse(o.path(fault.Param), "%s", fault.Message)
	}
	return rates
}

// decodeRates decodes rates and refuses unknown fields.
func decodeRates(value any, rates *pricing.Rates) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(rates) //nolint:wrapcheck // the caller names the entry
}

// culprit returns the path of the first value that the rates cannot have, and what is wrong with it.
func culprit(price map[string]any) (at, text string) {
	for at, leaf := range leaves(price, "") {
		alone := wrap(at, leaf)
		if err := decodeRates(alone, new(pricing.Rates)); err != nil {
			if strings.Contains(err.Error(), "unknown field") {
				return at, "is not a class that this version knows"
			}
			return at,
				`must be a decimal of USD in quotes with at most 9 places, such as "0.15", or a whole number for above_input`
		}
	}
	return "", "is malformed"
}

// leaves iterates over all values that are neither objects nor lists, and over empty ones, in the order of their paths,
// which are such as ".tiers[0].input".
func leaves(value any, path string) func(func(string, any) bool) {
	return func(yield func(string, any) bool) { visit(value, path, yield) }
}

func visit(value any, path string, yield func(string, any) bool) bool {
	switch node := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(node)) {
			if !visit(node[name], path+"."+name, yield) {
				return false
			}
		}
		if len(node) > 0 {
			return true
		}
	case []any:
		for i, item := range node {
			if !visit(item, fmt.Sprintf("%s[%d]", path, i), yield) {
				return false
			}
		}
		if len(node) > 0 {
			return true
		}
	}
	return path == "" || yield(path, value)
}

// wrap returns an object that has only the leaf, at its path.
func wrap(path string, leaf any) any {
	for path != "" {
		cut := strings.LastIndexAny(path, ".[")
		if path[cut] == '[' {
			leaf = []any{leaf}
		} else {
			leaf = map[string]any{path[cut+1:]: leaf}
		}
		path = path[:cut]
	}
	return leaf
}

// encoded returns rates as the tree of their JSON.
func encoded(price pricing.Rates) (root any, err error) {
	text, err := json.Marshal(price)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&root)
	return root, err //nolint:wrapcheck // the caller names the entry
}
