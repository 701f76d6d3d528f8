package oneapi_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate/tollgate/apps/console/internal/oneapi"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/manifest"
)

// The same data gives the same manifest and the same notes, whichever database it was dumped from.
func TestRead_GivesTheSameResultForEachDatabase(t *testing.T) {
	t.Parallel()
	dumps, err := filepath.Glob("testdata/new-api/*.sql")
	if err != nil || len(dumps) != 3 {
		t.Fatalf("got dumps %v, %v, want 3", dumps, err)
	}
	for _, path := range dumps {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			found := read(t, string(text))
			golden(t, "testdata/new-api/manifest.yaml", written(t, found.Manifest))
			golden(t, "testdata/new-api/notes.txt", []byte(strings.Join(notes(found), "\n")+"\n"))
			check(t, found.Manifest)
		})
	}
}

// read converts the dump and fails the test on an error.
func read(t *testing.T, dump string) *oneapi.Import {
	t.Helper()
	found, err := oneapi.Read(strings.NewReader(dump), options())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// notes returns the notes as lines.
func notes(found *oneapi.Import) (all []string) {
	for _, n := range found.Notes {
		all = append(all, fmt.Sprintf("%s %s: %s", n.Thing, n.Name, n.Text))
	}
	return all
}

// wantNote fails the test unless a note contains want.
func wantNote(t *testing.T, found *oneapi.Import, want string) {
	t.Helper()
	for _, n := range notes(found) {
		if strings.Contains(n, want) {
			return
		}
	}
	t.Errorf("got no note with %q:\n%s", want, strings.Join(notes(found), "\n"))
}

// database describes the tables of a database, from which dump writes a dump. A row maps columns to values.
type database struct {
	program                          string // new-api, or one-api
	channels, tokens, users, options []map[string]string
}

// dump returns the dump. new-api is recognized by the column auto_ban.
func (d database) dump() string {
	var b strings.Builder
	tables := []struct {
		name string
		rows []map[string]string
	}{{"channels", d.channels}, {"tokens", d.tokens}, {"users", d.users}, {"options", d.options}}
	for _, table := range tables {
		marker := ""
		if table.name == "channels" && d.program == "new-api" {
			marker = ", auto_ban int"
		}
		fmt.Fprintf(&b, "CREATE TABLE %s (id int%s);\n", table.name, marker)
		for i, r := range table.rows {
			columns, values := []string{"id"}, []string{fmt.Sprint(i + 1)}
			for column, value := range r {
				columns = append(columns, `"`+column+`"`)
				values = append(values, "'"+strings.ReplaceAll(value, "'", "''")+"'")
			}
			fmt.Fprintf(&b, "INSERT INTO %s (%s) VALUES (%s);\n", table.name, strings.Join(columns, ","),
				strings.Join(values, ","))
		}
	}
	return b.String()
}

// channel returns a channel of the type with the number that serves the model m.
func channel(number, base string) map[string]string {
	return map[string]string{"type": number, "key": "k", "name": "c", "models": "m", "base_url": base}
}

// prices returns options with a price for the model m.
func prices(program string) []map[string]string {
	if program == "new-api" {
		return []map[string]string{{"key": "ModelRatio", "value": `{"m": 1}`}, {"key": "CacheRatio", "value": "{}"}}
	}
	return []map[string]string{{"key": "ModelRatio", "value": `{"m": 1}`}}
}

func TestRead_ConvertsChannelTypesAndBaseURLs(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ program, number, base, kind, want string }{
		{"one-api", "1", "", "openai", "https://api.openai.com/v1"},
		{"one-api", "8", "http://10.0.0.5:8000", "openai", "http://10.0.0.5:8000/v1"},
		{"one-api", "36", "", "openai", "https://api.deepseek.com/v1"},
		{"one-api", "40", "", "openai", "https://ark.cn-beijing.volces.com/api/v3"},
		{"one-api", "47", "", "openai", "https://qianfan.baidubce.com/v2"},
		{"one-api", "49", "", "openai", "https://dashscope.aliyuncs.com/compatible-mode/v1"},
		{"one-api", "50", "http://10.0.0.5:8000/api/v9", "openai", "http://10.0.0.5:8000/api/v9"},
		{"one-api", "51", "", "openai", "https://generativelanguage.googleapis.com/v1beta/openai"},
		{"new-api", "1", "https://gateway.ai.cloudflare.com/v1/acme/main/openai", "openai",
			"https://gateway.ai.cloudflare.com/v1/acme/main/openai"},
		{"new-api", "14", "", "anthropic", "https://api.anthropic.com"},
		{"new-api", "24", "", "gemini", "https://generativelanguage.googleapis.com/v1beta"},
		{"new-api", "8", "http://10.0.0.5:8000/api/v9/chat/completions", "openai", "http://10.0.0.5:8000/api/v9"},
		{"new-api", "17", "", "openai", "https://dashscope.aliyuncs.com/compatible-mode/v1"},
		{"new-api", "26", "", "openai", "https://open.bigmodel.cn/api/paas/v4"},
		{"new-api", "26", "glm-coding-plan-international", "openai", "https://api.z.ai/api/coding/paas/v4"},
		{"new-api", "27", "", "openai", "https://api.perplexity.ai"},
		{"new-api", "43", "", "openai", "https://api.deepseek.com/v1"},
		{"new-api", "45", "", "openai", "https://ark.cn-beijing.volces.com/api/v3"},
		{"new-api", "48", "https://relay.example/", "openai", "https://relay.example/v1"},
	} {
		d := database{program: row.program, channels: []map[string]string{channel(row.number, row.base)},
			options: prices(row.program)}
		found := read(t, d.dump())
		if len(found.Manifest.Channels) != 1 {
			t.Errorf("%s %s: not imported: %v", row.program, row.number, notes(found))
			continue
		}
		if c := found.Manifest.Channels[0]; c.Type != row.kind || *c.BaseURL != row.want {
			t.Errorf("%s %s: got %s at %s, want %s at %s", row.program, row.number, c.Type, *c.BaseURL,
				row.kind, row.want)
		}
	}
}

func TestRead_NotesChannelsThatCannotBeImported(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ program, number, base, want string }{
		{"one-api", "43", "https://x.example", "cannot call channels of the type 43 (proxy)"},
		{"new-api", "36", "https://x.example", "channels of the type 36 (Suno)"},
		{"new-api", "33", "", "channels of the type 33 (AWS)"},
		{"new-api", "99", "https://x.example", "cannot call channels of the type 99"},
		{"new-api", "47", "", "it has no base URL"},
		{"new-api", "8", "https://x.example/v1/images", "its base URL is the URL of one call"},
		{"new-api", "8", "https://x.example/{model}/chat/completions", "its base URL is the URL of one call"},
		{"new-api", "3", "https://gateway.ai.cloudflare.com/v1/acme/main/azure-openai/r",
			"its base URL is Cloudflare's gateway to Azure"},
	} {
		d := database{program: row.program, channels: []map[string]string{channel(row.number, row.base)},
			options: prices(row.program)}
		found := read(t, d.dump())
		if len(found.Manifest.Channels) != 0 {
			t.Errorf("%s %s: imported, want a note only", row.program, row.number)
		}
		wantNote(t, found, row.want)
	}
}

// A channel that the old program could not use is imported as disabled.
func TestRead_DisablesUnusableChannels(t *testing.T) {
	t.Parallel()
	for want, set := range map[string]map[string]string{
		"disabled: it has no group":             {"group": ""},
		"disabled: it has no usable key":        {"channel_info": `{"is_multi_key": true, "multi_key_status_list": {"0": 3}}`},
		"as disabled, because it was disabled":  {"status": "3"},
		"its channel_info is not imported: it ": {"channel_info": "{", "status": "2"},
	} {
		c := channel("1", "")
		for column, value := range set {
			c[column] = value
		}
		found := read(t, database{program: "new-api", channels: []map[string]string{c},
			options: prices("new-api")}.dump())
		wantNote(t, found, want)
		if *found.Manifest.Channels[0].Status != tenant.Disabled {
			t.Errorf("%s: got an enabled channel, want a disabled one", want)
		}
	}
}

// one-api follows one mapping and charges for the mapped name. new-api
// follows the chain of mappings to its end and charges for the public name.
func TestRead_FollowsModelMappings(t *testing.T) {
	t.Parallel()
	c := channel("1", "")
	c["model_mapping"] = `{"m": "step", "step": "end"}`
	ratios := []map[string]string{{"key": "ModelRatio", "value": `{"m": 1, "step": 2, "end": 4}`},
		{"key": "CompletionRatio", "value": `{"step": 3, "m": 5}`}}
	for program, want := range map[string]string{
		"one-api": "step, {input: \"4\", output: \"12\"}",
		"new-api": "end, {input: \"2\", output: \"10\"}",
	} {
		found := read(t, database{program: program, channels: []map[string]string{c}, options: ratios}.dump())
		got := fmt.Sprintf("%s, %s", found.Manifest.Channels[0].Models["m"], priceOf(t, found.Manifest))
		if got != want {
			t.Errorf("%s: got %s, want %s", program, got, want)
		}
	}
	c["model_mapping"] = `{"m": "step", "step": "m"}`
	found := read(t, database{program: "new-api", channels: []map[string]string{c}, options: ratios}.dump())
	wantNote(t, found, `its mapping of "m" is not imported: it is circular`)
}

// priceOf returns the first price in the manifest, as YAML.
func priceOf(t *testing.T, m *manifest.Manifest) string {
	t.Helper()
	_, after, _ := strings.Cut(string(written(t, m)), "price: ")
	price, _, _ := strings.Cut(after, "\n")
	return price
}

func TestRead_UsesDefaultRatiosForMissingOptions(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ id, completions, want, note string }{
		{"gpt-4o", "{}", `{input: "2", output: "8"}`, "its completion ratio is new-api's default of 4"},
		{"gpt-4o", `{"gpt-4o": 3}`, `{input: "2", output: "6"}`, ""},
		{"gpt-5-mini", `{"gpt-5-mini": 3}`, `{input: "2", output: "16"}`,
			"its completion ratio is new-api's default of 8"},
		{"gpt-5.5", `{"gpt-5.5": 3}`, `{input: "2", output: "6"}`, ""},
		{"o3", `{"o3": 3}`, `{input: "2", output: "8"}`, "new-api's default of 4"},
		{"openai/o3", `{"openai/o3": 3}`, `{input: "2", output: "6"}`, ""},
		{"command-r7b", "{}", `{input: "2", output: "8"}`, "new-api's default of 4"},
		{"command-r", "{}", `{input: "2", output: "6"}`, "new-api's default of 3"},
		{"gpt-4o-audio-preview", "{}", `{input: "2", audio_input: "32", output: "8", audio_output: "32"}`,
			"its audio ratio is new-api's default of 16"},
		{"gpt-4o-mini-audio-preview", "{}",
			`{input: "2", audio_input: "133.34", output: "8", audio_output: "133.34"}`,
			"its audio ratio is new-api's default of 66.67"},
		{"claude-sonnet-4-5", "{}", `{input: "2", cache_write: "2.5", cache_write_1h: "4", output: "10"}`,
			"new-api's default of 5"},
	} {
		number := "1"
		if strings.HasPrefix(row.id, "claude") {
			number = "14"
		}
		c := channel(number, "")
		c["models"] = row.id
		found := read(t, database{program: "new-api", channels: []map[string]string{c}, options: []map[string]string{
			{"key": "ModelRatio", "value": fmt.Sprintf("{%q: 1}", row.id)},
			{"key": "CompletionRatio", "value": row.completions},
		}}.dump())
		if got := priceOf(t, found.Manifest); got != row.want {
			t.Errorf("%s with %s: got %s, want %s", row.id, row.completions, got, row.want)
		}
		if row.note != "" {
			wantNote(t, found, row.note)
		}
		wantNote(t, found, "CacheRatio: is not in the dump")
	}
}

// Each option of audio replaces new-api's defaults as a whole.
func TestRead_UsesTheOptionsOfAudio(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ id, option, value, want string }{
		{"gpt-4o-audio-preview", "AudioRatio", "{}", `{input: "2", output: "8"}`},
		{"gpt-4o-realtime", "AudioRatio", `{"gpt-4o-realtime": 4}`,
			`{input: "2", audio_input: "8", output: "8", audio_output: "16"}`},
		{"gpt-4o-realtime-preview", "AudioCompletionRatio", `{"gpt-4o-realtime-preview": 3}`,
			`{input: "2", audio_input: "16", output: "8", audio_output: "48"}`},
	} {
		c := channel("1", "")
		c["models"] = row.id
		found := read(t, database{program: "new-api", channels: []map[string]string{c}, options: []map[string]string{
			{"key": "ModelRatio", "value": fmt.Sprintf("{%q: 1}", row.id)},
			{"key": row.option, "value": row.value},
		}}.dump())
		if got := priceOf(t, found.Manifest); got != row.want {
			t.Errorf("%s with %s %s: got %s, want %s", row.id, row.option, row.value, got, row.want)
		}
	}
}

// Both programs call Azure's deployments without the dots in their names; new-api only
// in channels that were created before 10 May 2025. Prices stay those of the name with dots.
func TestRead_RemovesDotsFromNamesOfDeployments(t *testing.T) {
	t.Parallel()
	const note = "channel c: the dots in the names of these deployments are removed, as %s did: gpt-35-turbo"
	for _, row := range []struct{ program, number, created, upstream, price string }{
		{"one-api", "3", "1746835200", "gpt-35-turbo", `{input: "4", output: "12"}`},
		{"one-api", "1", "1746835200", "gpt-3.5-turbo", `{input: "4", output: "12"}`},
		{"new-api", "3", "1746835199", "gpt-35-turbo", `{input: "2", output: "2"}`},
		{"new-api", "3", "1746835200", "gpt-3.5-turbo", `{input: "2", output: "2"}`},
	} {
		c := channel(row.number, "https://acme.example")
		c["created_time"], c["model_mapping"] = row.created, `{"m": "gpt-3.5-turbo"}`
		found := read(t, database{program: row.program, channels: []map[string]string{c}, options: []map[string]string{
			{"key": "ModelRatio", "value": `{"m": 1, "gpt-3.5-turbo": 2}`},
		}}.dump())
		upstream, price := found.Manifest.Channels[0].Models["m"], priceOf(t, found.Manifest)
		if upstream != row.upstream || price != row.price {
			t.Errorf("%s, type %s, created at %s: got %s with the price %s, want %s with %s", row.program, row.number,
				row.created, upstream, price, row.upstream, row.price)
		}
		if row.upstream == "gpt-35-turbo" {
			wantNote(t, found, fmt.Sprintf(note, row.program))
		}
	}
}

// new-api gives no call to a channel with the weight 0 if another one of the same model and priority has a weight.
func TestRead_NotesChannelsThatBeginToGetCalls(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		program, weight, priority, status, models string // of the other channel
		want                                      bool
	}{
		{"new-api", "5", "0", "1", "n,m", true},
		{"new-api", "0", "0", "1", "m", false},
		{"new-api", "5", "1", "1", "m", false},
		{"new-api", "5", "0", "2", "m", false},
		{"new-api", "5", "0", "1", "n", false},
		{"one-api", "5", "0", "1", "m", false}, // does not look at weights
	} {
		other := channel("1", "")
		other["name"], other["weight"] = "other", row.weight
		other["priority"], other["status"], other["models"] = row.priority, row.status, row.models
		found := read(t, database{program: row.program, channels: []map[string]string{channel("1", ""), other},
			options: prices(row.program)}.dump())
		const note = "channel c: its weight of 0 becomes 1"
		if got := strings.Contains(strings.Join(notes(found), "\n"), note); got != row.want {
			t.Errorf("%+v: got a note: %v", row, got)
		}
	}
}

func TestRead_AssignsTokensToGroups(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, group, usable, special string
		status                       tenant.Status
		want                         string // group of the user that gets the token
	}{
		{"permitted by default", "vip", "", "", tenant.Enabled, "vip"},
		{"no group", "", "", "", tenant.Enabled, "default"},
		{"own group of the user", "default", "{}", "", tenant.Enabled, "default"},
		{"not permitted", "vip", `{"default": ""}`, "", tenant.Disabled, "default"},
		{"permitted to users of the group", "vip", "{}", `{"default": {"+:vip": ""}}`, tenant.Enabled, "vip"},
		{"named for users of the group", "vip", "{}", `{"default": {"vip": ""}}`, tenant.Enabled, "vip"},
		{"removed for users of the group", "vip", `{"vip": ""}`, `{"default": {"-:vip": ""}}`,
			tenant.Disabled, "default"},
		{"group without a ratio", "old", `{"old": ""}`, "", tenant.Disabled, "default"},
		{"automatic choice", "auto", "", "", tenant.Enabled, "default"},
		{"malformed option", "vip", "no JSON", "", tenant.Disabled, "default"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			options := append(prices("new-api"),
				map[string]string{"key": "GroupRatio", "value": `{"default": 1, "vip": 2}`})
			if row.usable != "" {
				options = append(options, map[string]string{"key": "UserUsableGroups", "value": row.usable})
			}
			if row.special != "" {
				options = append(options, map[string]string{"key": "group_ratio_setting.group_special_usable_group",
					"value": row.special})
			}
			found := read(t, database{
				program: "new-api", options: options,
				users: []map[string]string{{"username": "ann", "group": "default"}},
				tokens: []map[string]string{{"user_id": "1", "key": strings.Repeat("k", 48), "name": "t",
					"group": row.group, "unlimited_quota": "1"}},
			}.dump())
			users := found.Manifest.Tenants[0].Users
			user := users[len(users)-1]
			if len(user.Tokens) != 1 || user.Group != row.want {
				t.Fatalf("got users %+v, want the token at a user of the group %s", users, row.want)
			}
			if status := user.Tokens[0].Status; (status != nil) != (row.status == tenant.Disabled) {
				t.Errorf("got status %v, want %v", status, row.status)
			}
		})
	}
}

func TestRead_GivesEachTenantASlugOfItsOwn(t *testing.T) {
	t.Parallel()
	found := read(t, database{program: "new-api", options: prices("new-api"), users: []map[string]string{
		{"id": "1", "username": "bob"}, {"id": "2", "username": "bob-3"}, {"id": "3", "username": "bob."},
	}}.dump())
	seen := map[string]bool{}
	for _, t := range found.Manifest.Tenants {
		seen[t.Slug] = true
	}
	if len(seen) != 3 {
		t.Errorf("got the slugs %v, want three", seen)
	}
}

// A token that the old program refused is refused by Tollgate
// too: it is disabled, or its expiry or quota is imported.
func TestRead_KeepsRefusedTokensRefused(t *testing.T) {
	t.Parallel()
	past, future := "1700000000", "1900000000"
	for _, row := range []struct {
		name     string
		set      map[string]string
		disabled bool
	}{
		{"enabled", map[string]string{}, false},
		{"disabled", map[string]string{"status": "2"}, true},
		{"expired, with a past expiry", map[string]string{"status": "3", "expired_time": past}, false},
		{"expired, with a later expiry", map[string]string{"status": "3", "expired_time": future}, true},
		{"exhausted, without quota", map[string]string{"status": "4", "remain_quota": "-3"}, false},
		{"exhausted, with new quota", map[string]string{"status": "4", "remain_quota": "5"}, true},
		{"exhausted, but unlimited", map[string]string{"status": "4", "unlimited_quota": "t"}, true},
		{"expired at time 0", map[string]string{"expired_time": "0"}, true},
		{"limited to an empty list of models", map[string]string{"model_limits_enabled": "t", "model_limits": ""},
			true},
		{"list of models that is turned off", map[string]string{"model_limits_enabled": "f", "model_limits": "m"},
			false},
	} {
		set := map[string]string{"user_id": "1", "key": strings.Repeat("k", 48), "name": "t"}
		for column, value := range row.set {
			set[column] = value
		}
		found := read(t, database{program: "new-api", users: []map[string]string{{"username": "ann"}},
			tokens: []map[string]string{set}}.dump())
		if token := found.Manifest.Tenants[0].Users[0].Tokens[0]; (token.Status != nil) != row.disabled ||
			token.Models != nil {
			t.Errorf("%s: got %+v, want disabled = %v", row.name, token, row.disabled)
		}
	}
}

// A disabled administrator does not become an operator.
func TestRead_CreatesOperatorsForEnabledAdministrators(t *testing.T) {
	t.Parallel()
	found := read(t, database{program: "new-api", users: []map[string]string{
		{"username": "root", "role": "100"}, {"username": "admin", "role": "10"},
		{"username": "fired", "role": "10", "status": "2"}, {"username": "ann", "role": "1"},
	}}.dump())
	var emails []string
	for _, o := range found.Manifest.Operators {
		emails = append(emails, o.Email)
	}
	if diff := cmp.Diff([]string{"root+operator@import.invalid", "admin+operator@import.invalid"}, emails); diff != "" {
		t.Errorf("operators (-want +got):\n%s", diff)
	}
	wantNote(t, found, "user fired: was an administrator: no operator is created")
}

func TestRead_RefusesDumpsOfOneHub(t *testing.T) {
	t.Parallel()
	dump := database{program: "one-api", channels: []map[string]string{channel("25", "")}}.dump() +
		"CREATE TABLE channels (id int, only_chat bool);"
	if _, err := oneapi.Read(strings.NewReader(dump), options()); err == nil ||
		!strings.Contains(err.Error(), "one-hub") {
		t.Errorf("got error %v, want one that names one-hub", err)
	}
}

// Columns and options that the import does not know get a note.
func TestRead_NotesUnknownColumnsAndOptions(t *testing.T) {
	t.Parallel()
	c := channel("1", "")
	c["shape"], c["colour"] = "round", "0"
	found := read(t, database{program: "new-api", channels: []map[string]string{c},
		options: append(prices("new-api"), map[string]string{"key": "Colour", "value": "x"})}.dump())
	wantNote(t, found, "table channels: these columns are not imported: shape")
	wantNote(t, found, "option Colour: is not imported")
}
