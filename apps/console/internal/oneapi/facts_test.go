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

// One database gives the same manifest and the same notes, wherever it was and
// however it is dumped.
func TestDatabasesOfOneKindAreRead(t *testing.T) {
	t.Parallel()
	dumps, err := filepath.Glob("testdata/new-api/*.sql")
	if err != nil || len(dumps) != 3 {
		t.Fatal("dumps are missing", dumps, err)
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

func read(t *testing.T, dump string) *oneapi.Import {
	t.Helper()
	found, err := oneapi.Read(strings.NewReader(dump), options())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func notes(found *oneapi.Import) (all []string) {
	for _, n := range found.Notes {
		all = append(all, fmt.Sprintf("%s %s: %s", n.Thing, n.Name, n.Text))
	}
	return all
}

// told fails unless a note says so.
func told(t *testing.T, found *oneapi.Import, want string) {
	t.Helper()
	for _, n := range notes(found) {
		if strings.Contains(n, want) {
			return
		}
	}
	t.Errorf("nothing tells %q:\n%s", want, strings.Join(notes(found), "\n"))
}

// database writes a dump of a program, of columns and rows.
type database struct {
	program                          string // new-api, or one-api
	channels, tokens, users, options []map[string]string
}

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
			fmt.Fprintf(&b, "INSERT INTO %s (%s) VALUES (%s);\n", table.name, strings.Join(columns, ","), strings.Join(values, ","))
		}
	}
	return b.String()
}

func channel(number, base string) map[string]string {
	return map[string]string{"type": number, "key": "k", "name": "c", "models": "m", "base_url": base}
}

func prices(program string) []map[string]string {
	if program == "new-api" {
		return []map[string]string{{"key": "ModelRatio", "value": `{"m": 1}`}, {"key": "CacheRatio", "value": "{}"}}
	}
	return []map[string]string{{"key": "ModelRatio", "value": `{"m": 1}`}}
}

func TestTypesOfChannels(t *testing.T) {
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
		{"new-api", "1", "https://gateway.ai.cloudflare.com/v1/acme/main/openai", "openai", "https://gateway.ai.cloudflare.com/v1/acme/main/openai"},
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
		d := database{program: row.program, channels: []map[string]string{channel(row.number, row.base)}, options: prices(row.program)}
		found := read(t, d.dump())
		if len(found.Manifest.Channels) != 1 {
			t.Errorf("%s %s: not carried over: %v", row.program, row.number, notes(found))
			continue
		}
		if c := found.Manifest.Channels[0]; c.Type != row.kind || *c.BaseURL != row.want {
			t.Errorf("%s %s: %s at %s, want %s at %s", row.program, row.number, c.Type, *c.BaseURL, row.kind, row.want)
		}
	}
}

func TestChannelsThatAreNotCarriedOver(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ program, number, base, want string }{
		{"one-api", "43", "https://x.example", "channels of the type 43 (proxy)"},
		{"new-api", "36", "https://x.example", "channels of the type 36 (Suno)"},
		{"new-api", "33", "", "channels of the type 33 (AWS)"},
		{"new-api", "99", "https://x.example", "channels of the type 99 have no counterpart"},
		{"new-api", "47", "", "it has no base URL"},
		{"new-api", "8", "https://x.example/v1/images", "its base URL is that of one call"},
		{"new-api", "8", "https://x.example/{model}/chat/completions", "its base URL is that of one call"},
		{"new-api", "3", "https://gateway.ai.cloudflare.com/v1/acme/main/azure-openai/r", "its base URL is Cloudflare's gateway to Azure"},
	} {
		d := database{program: row.program, channels: []map[string]string{channel(row.number, row.base)}, options: prices(row.program)}
		found := read(t, d.dump())
		if len(found.Manifest.Channels) != 0 {
			t.Errorf("%s %s is carried over", row.program, row.number)
		}
		told(t, found, row.want)
	}
}

// A channel that could not be called there is disabled here.
func TestChannelsThatNobodyCouldCall(t *testing.T) {
	t.Parallel()
	for want, set := range map[string]map[string]string{
		"disabled: it has no group":                 {"group": ""},
		"disabled: it has no key that can be used":  {"channel_info": `{"is_multi_key": true, "multi_key_status_list": {"0": 3}}`},
		"disabled, as it was":                       {"status": "3"},
		"its channel_info is not carried over: it ": {"channel_info": "{", "status": "2"},
	} {
		c := channel("1", "")
		for column, value := range set {
			c[column] = value
		}
		found := read(t, database{program: "new-api", channels: []map[string]string{c}, options: prices("new-api")}.dump())
		told(t, found, want)
		if *found.Manifest.Channels[0].Status != tenant.Disabled {
			t.Errorf("%s: it is enabled", want)
		}
	}
}

// one-api charges for the name that a channel maps a model to, one step on;
// new-api for the model's own, and it goes on to the end of a chain.
func TestMappings(t *testing.T) {
	t.Parallel()
	c := channel("1", "")
	c["model_mapping"] = `{"m": "step", "step": "end"}`
	ratios := []map[string]string{{"key": "ModelRatio", "value": `{"m": 1, "step": 2, "end": 4}`}, {"key": "CompletionRatio", "value": `{"step": 3, "m": 5}`}}
	for program, want := range map[string]string{
		"one-api": "step, {input: \"4\", output: \"12\"}",
		"new-api": "end, {input: \"2\", output: \"10\"}",
	} {
		found := read(t, database{program: program, channels: []map[string]string{c}, options: ratios}.dump())
		is := fmt.Sprintf("%s, %s", found.Manifest.Channels[0].Models["m"], priceOf(t, found.Manifest))
		if is != want {
			t.Errorf("%s: %s, want %s", program, is, want)
		}
	}
	c["model_mapping"] = `{"m": "step", "step": "m"}`
	found := read(t, database{program: "new-api", channels: []map[string]string{c}, options: ratios}.dump())
	told(t, found, `its mapping of "m" is not carried over: it goes in a circle`)
}

func priceOf(t *testing.T, m *manifest.Manifest) string {
	t.Helper()
	_, after, _ := strings.Cut(string(written(t, m)), "price: ")
	price, _, _ := strings.Cut(after, "\n")
	return price
}

func TestPricesThatNoOptionSays(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ id, completions, want, note string }{
		{"gpt-4o", "{}", `{input: "2", output: "8"}`, "its completion ratio is new-api's own of 4"},
		{"gpt-4o", `{"gpt-4o": 3}`, `{input: "2", output: "6"}`, ""},
		{"gpt-5-mini", `{"gpt-5-mini": 3}`, `{input: "2", output: "16"}`, "its completion ratio is new-api's own of 8"},
		{"gpt-5.5", `{"gpt-5.5": 3}`, `{input: "2", output: "6"}`, ""},
		{"o3", `{"o3": 3}`, `{input: "2", output: "8"}`, "new-api's own of 4"},
		{"openai/o3", `{"openai/o3": 3}`, `{input: "2", output: "6"}`, ""},
		{"command-r7b", "{}", `{input: "2", output: "8"}`, "new-api's own of 4"},
		{"command-r", "{}", `{input: "2", output: "6"}`, "new-api's own of 3"},
		{"claude-sonnet-4-5", "{}", `{input: "2", cache_write: "2.5", output: "10"}`, "new-api's own of 5"},
	} {
		number := "1"
		if strings.HasPrefix(row.id, "claude") {
			number = "14"
		}
		c := channel(number, "")
		c["models"] = row.id
		found := read(t, database{program: "new-api", channels: []map[string]string{c}, options: []map[string]string{
			{"key": "ModelRatio", "value": fmt.Sprintf("{%q: 1}", row.id)}, {"key": "CompletionRatio", "value": row.completions},
		}}.dump())
		if is := priceOf(t, found.Manifest); is != row.want {
			t.Errorf("%s of %s: %s, want %s", row.id, row.completions, is, row.want)
		}
		if row.note != "" {
			told(t, found, row.note)
		}
		told(t, found, "CacheRatio: is not in the dump")
	}
}

func TestGroupsOfTokens(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, group, usable, special string
		pays                         tenant.Status
		want                         string // group of the user that has the token
	}{
		{"the default permits vip", "vip", "", "", tenant.Enabled, "vip"},
		{"none", "", "", "", tenant.Enabled, "default"},
		{"its user's own", "default", "{}", "", tenant.Enabled, "default"},
		{"not permitted", "vip", `{"default": ""}`, "", tenant.Disabled, "default"},
		{"permitted to users of the group", "vip", "{}", `{"default": {"+:vip": ""}}`, tenant.Enabled, "vip"},
		{"named for users of the group", "vip", "{}", `{"default": {"vip": ""}}`, tenant.Enabled, "vip"},
		{"taken from users of the group", "vip", `{"vip": ""}`, `{"default": {"-:vip": ""}}`, tenant.Disabled, "default"},
		{"no longer a group", "old", `{"old": ""}`, "", tenant.Disabled, "default"},
		{"a choice", "auto", "", "", tenant.Enabled, "default"},
		{"a list that cannot be read", "vip", "no JSON", "", tenant.Disabled, "default"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			options := append(prices("new-api"), map[string]string{"key": "GroupRatio", "value": `{"default": 1, "vip": 2}`})
			if row.usable != "" {
				options = append(options, map[string]string{"key": "UserUsableGroups", "value": row.usable})
			}
			if row.special != "" {
				options = append(options, map[string]string{"key": "group_ratio_setting.group_special_usable_group", "value": row.special})
			}
			found := read(t, database{
				program: "new-api", options: options, users: []map[string]string{{"username": "ann", "group": "default"}},
				tokens: []map[string]string{{"user_id": "1", "key": strings.Repeat("k", 48), "name": "t", "group": row.group, "unlimited_quota": "1"}},
			}.dump())
			users := found.Manifest.Tenants[0].Users
			user := users[len(users)-1]
			if len(user.Tokens) != 1 || user.Group != row.want {
				t.Fatalf("the token is not one of a user of %s: %+v", row.want, users)
			}
			if status := user.Tokens[0].Status; (status != nil) != (row.pays == tenant.Disabled) {
				t.Errorf("status %v, want %v", status, row.pays)
			}
		})
	}
}

// A token that was refused there is refused here.
func TestTokensThatWereRefused(t *testing.T) {
	t.Parallel()
	past, future := "1700000000", "1900000000"
	for _, row := range []struct {
		name     string
		set      map[string]string
		disabled bool
	}{
		{"enabled", map[string]string{}, false},
		{"disabled", map[string]string{"status": "2"}, true},
		{"expired, by its expiry too", map[string]string{"status": "3", "expired_time": past}, false},
		{"expired, and its expiry was put off", map[string]string{"status": "3", "expired_time": future}, true},
		{"exhausted, by its quota too", map[string]string{"status": "4", "remain_quota": "-3"}, false},
		{"exhausted, and then given more", map[string]string{"status": "4", "remain_quota": "5"}, true},
		{"exhausted, and then unlimited", map[string]string{"status": "4", "unlimited_quota": "t"}, true},
		{"at no time valid", map[string]string{"expired_time": "0"}, true},
		{"limited to no model", map[string]string{"model_limits_enabled": "t", "model_limits": ""}, true},
		{"limited to models, and that turned off", map[string]string{"model_limits_enabled": "f", "model_limits": "m"}, false},
	} {
		set := map[string]string{"user_id": "1", "key": strings.Repeat("k", 48), "name": "t"}
		for column, value := range row.set {
			set[column] = value
		}
		found := read(t, database{program: "new-api", users: []map[string]string{{"username": "ann"}}, tokens: []map[string]string{set}}.dump())
		if token := found.Manifest.Tenants[0].Users[0].Tokens[0]; (token.Status != nil) != row.disabled || token.Models != nil {
			t.Errorf("%s: %+v", row.name, token)
		}
	}
}

// An administrator who was disabled does not come back as an operator.
func TestOperators(t *testing.T) {
	t.Parallel()
	found := read(t, database{program: "new-api", users: []map[string]string{
		{"username": "root", "role": "100"}, {"username": "admin", "role": "10"}, {"username": "fired", "role": "10", "status": "2"}, {"username": "ann", "role": "1"},
	}}.dump())
	var emails []string
	for _, o := range found.Manifest.Operators {
		emails = append(emails, o.Email)
	}
	if diff := cmp.Diff([]string{"root+operator@import.invalid", "admin+operator@import.invalid"}, emails); diff != "" {
		t.Error(diff)
	}
	told(t, found, "user fired: administered the old program, and no operator is made")
}

func TestDumpOfAnotherFamilyIsRefused(t *testing.T) {
	t.Parallel()
	dump := database{program: "one-api", channels: []map[string]string{channel("25", "")}}.dump() + "CREATE TABLE channels (id int, only_chat bool);"
	if _, err := oneapi.Read(strings.NewReader(dump), options()); err == nil || !strings.Contains(err.Error(), "one-hub") {
		t.Error(err)
	}
}

// What new columns and options hold is told, though nobody knows it.
func TestWhatIsNewIsTold(t *testing.T) {
	t.Parallel()
	c := channel("1", "")
	c["shape"], c["colour"] = "round", "0"
	found := read(t, database{program: "new-api", channels: []map[string]string{c}, options: append(prices("new-api"), map[string]string{"key": "Colour", "value": "x"})}.dump())
	told(t, found, "table channels: these columns are not carried over: shape")
	told(t, found, "option Colour: is not carried over")
}
