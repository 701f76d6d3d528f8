package catalog_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

func TestCredentialRouteChanges_NamesTheFieldsThatDecideWhereACredentialTravels(t *testing.T) {
	before := func() catalog.Channel {
		return catalog.Channel{
			Type: "openai", BaseURL: "https://a.example/v1", Models: map[string]string{"m": "m"},
			Settings: catalog.Settings{
				Headers: map[string]string{"X-Route": "a", "OpenAI-Organization": "o"}, CA: "a",
				Proxy: catalog.SealedSecret{Sealed: []byte{1}, Mask: "https://proxy"},
			},
		}
	}
	for name, c := range map[string]struct {
		change func(*catalog.Channel)
		want   []string
	}{
		"nothing": {func(*catalog.Channel) {}, nil},
		"a name":  {func(c *catalog.Channel) { c.Name, c.Priority, c.Models = "b", 3, nil }, nil},
		"a text": {func(c *catalog.Channel) {
			c.Settings.SystemPrompt, c.Settings.APIVersion = "x", "1"
		}, nil},
		"the type": {func(c *catalog.Channel) { c.Type = "azure" }, []string{"type"}},
		"the host": {func(c *catalog.Channel) { c.BaseURL = "https://b.example/v1" },
			[]string{"base_url"}},
		"the path": {func(c *catalog.Channel) { c.BaseURL = "https://a.example/v2" },
			[]string{"base_url"}},
		"the scheme": {func(c *catalog.Channel) { c.BaseURL = "http://a.example/v1" }, []string{"base_url"}},
		"another proxy": {func(c *catalog.Channel) { c.Settings.Proxy.Sealed = []byte{2} },
			[]string{"settings.proxy"}},
		"no proxy": {func(c *catalog.Channel) { c.Settings.Proxy = catalog.SealedSecret{} },
			[]string{"settings.proxy"}},
		"another authority": {func(c *catalog.Channel) { c.Settings.CA = "b" }, []string{"settings.ca"}},
		"the system's":      {func(c *catalog.Channel) { c.Settings.CA = "" }, []string{"settings.ca"}},
		"a header": {func(c *catalog.Channel) { c.Settings.Headers["X-Route"] = "b" },
			[]string{"settings.headers"}},
		"a new header": {func(c *catalog.Channel) {
			c.Settings.Headers["Helicone-Target-Url"] = "https://b.example"
		}, []string{"settings.headers"}},
		"a removed header": {func(c *catalog.Channel) { delete(c.Settings.Headers, "X-Route") },
			[]string{"settings.headers"}},
		"a provider's header":  {func(c *catalog.Channel) { c.Settings.Headers["openai-organization"] = "p" }, nil},
		"no header of its own": {func(c *catalog.Channel) { delete(c.Settings.Headers, "OpenAI-Organization") }, nil},
		"the address and proxy": {func(c *catalog.Channel) {
			c.BaseURL, c.Settings.Proxy.Sealed = "https://b.example", nil
		}, []string{"base_url", "settings.proxy"}},
	} {
		t.Run(name, func(t *testing.T) {
			was, is := before(), before()
			c.change(&is)
			if got := catalog.CredentialRouteChanges(&was, &is); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := catalog.CredentialRouteChanges(&is, &was); !slices.Equal(got, c.want) {
				t.Errorf("the other way round: got %q, want %q", got, c.want)
			}
		})
	}
}

// A new field of a channel needs a decision: whether a program, and a session without a recent confirmation, may change
// it. The API decides about credentials and the status itself.
func TestRouteChanges_DecidesAboutEachField(t *testing.T) {
	const harmless, byTheAPI = "", "the API"
	for _, of := range []struct {
		fields   reflect.Type
		decided  map[string]string // by field: the name that RouteChanges returns
		settings bool
	}{
		{reflect.TypeFor[catalog.Channel](), map[string]string{
			"Type": "type", "BaseURL": "base_url", "Credentials": byTheAPI, "DisabledCredentials": byTheAPI,
			"Status": byTheAPI, "Settings": byTheAPI,
			"ID": harmless, "Name": harmless, "Dialects": harmless, "Models": harmless, "Priority": harmless,
			"Weight": harmless, "CreatedAt": harmless,
			"OnDisconnect": harmless, "Unpriced": harmless, "Tags": harmless,
		}, false},
		{reflect.TypeFor[catalog.Settings](), map[string]string{
			"Headers": "settings.headers", "Parameters": "settings.parameters", "AccountOf": "settings.account_of",
			"Proxy": "settings.proxy", "CA": "settings.ca",
			"SystemPrompt": harmless, "APIVersion": harmless, "Quirks": harmless, "Lacks": harmless,
			"IgnoredFields":  harmless,
			"ConnectTimeout": harmless, "FirstByteTimeout": harmless, "IdleTimeout": harmless,
		}, true},
	} {
		for i := range of.fields.NumField() {
			field := of.fields.Field(i)
			want, decided := of.decided[field.Name]
			if !decided {
				t.Errorf("%s.%s: decide whether a program may change it, and add it to RouteChanges or to this table",
					of.fields, field.Name)
			}
			if want == byTheAPI {
				continue
			}
			var before, after catalog.Channel
			target := reflect.ValueOf(&after).Elem()
			if of.settings {
				target = target.FieldByName("Settings")
			}
			target.Field(i).Set(changed(t, field.Type))
			changes := [][]string{catalog.RouteChanges(&before, &after), catalog.RouteChanges(&after, &before)}
			for _, got := range changes {
				if want == harmless && len(got) > 0 || want != harmless && !slices.Equal(got, []string{want}) {
					t.Errorf("%s.%s: got %q, want %q", of.fields, field.Name, got, want)
				}
			}
		}
	}
}

// changed returns a value of the type of a field that is not zero.
func changed(t *testing.T, of reflect.Type) reflect.Value {
	t.Helper()
	for _, value := range []any{
		uuid.Max, "x", 1, time.Second, time.Unix(1, 0), map[string]string{"x": "y"},
		map[string]json.RawMessage{"tools": json.RawMessage(`[]`)}, []catalog.Dialect{catalog.Chat},
		[]catalog.Quirk{catalog.NoDeveloper}, []catalog.Feature{catalog.Vision},
		catalog.SealedSecret{Sealed: []byte{1}}, tenant.RefuseIgnored, tenant.Disabled,
		catalog.DisconnectDrain, charge.Allow, []string{"x"},
	} {
		if reflect.TypeOf(value) == of {
			return reflect.ValueOf(value)
		}
	}
	t.Fatalf("add a value of the type %s", of)
	return reflect.Value{}
}

func TestRouteChanges_LeavesOnlyPlainParametersToPrograms(t *testing.T) {
	for name, want := range map[string]bool{
		"tools": true, "Tools": true, "tool_choice": true, "provider": true, "plugins": true,
		"web_search_options": true, "mcp_servers": true, "unknown": true,
		"temperature": false, "seed": false, "response_format": false,
	} {
		var before, after catalog.Channel
		after.Settings.Parameters = map[string]json.RawMessage{name: json.RawMessage(`null`)}
		if got := len(catalog.RouteChanges(&before, &after)) > 0; got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
