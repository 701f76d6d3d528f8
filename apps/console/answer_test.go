package console_test

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/audit"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// mostBytes bounds the answer of a list: 1 MiB of rows, the row that exceeds it, and the names of fields.
const mostBytes = 2 << 20

// fatList returns the longest names of models that a body of the console can have.
func fatList() []string {
	models := make([]string, 1000)
	for i := range models {
		models[i] = fmt.Sprintf("%0190d", i)
	}
	return models
}

// pagesOf reads a list page by page, and returns the ids of all items in order. Each page must stay within the bound.
func pagesOf(me *consoletest.Client, path string) (ids []string, pages int) {
	me.Helper()
	for after := ""; ; pages++ {
		r := me.Get(path + "&after=" + after)
		body := r.Want(me, http.StatusOK)
		if len(r.Raw) > mostBytes {
			me.Errorf("%s: a page has %d bytes, want at most %d", path, len(r.Raw), mostBytes)
		}
		for _, item := range consoletest.Items(me, body) {
			ids = append(ids, consoletest.Text(me, item, "id"))
		}
		if after = consoletest.Text(me, body, "next"); after == "" {
			return ids, pages + 1
		}
	}
}

// A member made 200 tokens with 1,000 models of 190 characters. Twelve lists of them at once, with 40 MB each, killed
// the console for everybody.
func TestTokens_OfAnySizeAreListedInSmallAnswers(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		me := s.As(s.Acme.Member)
		made := map[string]bool{s.Acme.Token.ID.String(): true}
		var last string
		for i := range 12 {
			last = consoletest.Text(s, me.Post("/api/tokens",
				map[string]any{"name": fmt.Sprint("fat ", i), "models": fatList(),
					"addresses": manyAddresses()}).Want(s.T, http.StatusCreated), "id")
			made[last] = true
		}
		ids, pages := pagesOf(me, "/api/tokens?limit=200")
		for _, id := range ids {
			delete(made, id)
		}
		if len(ids) != 13 || len(made) != 0 || pages < 2 {
			s.Errorf("got %d tokens on %d pages, without %v", len(ids), pages, made)
		}
		found, pages := pagesOf(me, "/api/tokens?limit=200&search=fat&sort=name&order=desc")
		if len(found) != 12 || pages < 2 {
			s.Errorf("the search got %d tokens on %d pages, want 12 on several", len(found), pages)
		}
		listed := consoletest.Items(s, me.Get("/api/tokens?limit=1").Want(s.T, http.StatusOK))[0]
		whole := me.Get("/api/tokens/"+last).Want(s.T, http.StatusOK)
		for field, want := range map[string]int{"models": 1000, "addresses": 300} {
			consoletest.Equal(s.T, listed, float64(want), field+"_count")
			consoletest.Equal(s.T, whole, float64(want), field+"_count")
			if few, all := len(consoletest.As[[]any](s, consoletest.At(s, listed, field))),
				len(consoletest.As[[]any](s, consoletest.At(s, whole, field))); few != 20 || all != want {
				s.Errorf("%s: the list has %d and the token %d, want 20 and %d", field, few, all, want)
			}
		}
	})
}

func manyAddresses() []string {
	all := make([]string, 300)
	for i := range all {
		all[i] = fmt.Sprintf("2001:db8:%x:ffff:ffff:ffff:ffff:ffff", i)
	}
	return all
}

// fattest creates the fattest rows that the API lets people create, twelve of each kind, and usage logs with long
// texts. It returns the id of one row of each kind.
func fattest(s *consoletest.Stack) (ids map[string]string) {
	s.Helper()
	operator, owner := s.As(s.Operator), s.As(s.Acme.Owner)
	models, headers, parameters := map[string]string{}, map[string]string{}, map[string]any{}
	for i, model := range fatList() {
		models[model] = strings.Repeat("u", 200)
		if i < 32 {
			headers[fmt.Sprint("x-", i)] = strings.Repeat("h", 1000)
			parameters[fmt.Sprint("p", i)] = strings.Repeat("p", 100)
		}
	}
	keys := slicesOf(100, func(i int) string { return fmt.Sprintf("sk-%04d-%s", i, strings.Repeat("k", 60)) })
	ids = map[string]string{}
	for i := range 12 {
		name := fmt.Sprint(i, " ", strings.Repeat("x", 180))
		made := func(kind string, r consoletest.Reply) {
			ids[kind] = consoletest.Text(s, r.Want(s.T, http.StatusCreated), "id")
		}
		made("tokens",
			owner.Post("/api/tokens", map[string]any{"name": name, "models": fatList(), "addresses": manyAddresses()}))
		made("groups", operator.Post("/api/operator/groups", map[string]any{"name": name, "models": fatList()}))
		channel := map[string]any{
			"name": name, "type": "openai", "base_url": "https://up.example/v1", "endpoints": []string{"chat"},
			"models": models, "api_keys": keys,
			"settings": map[string]any{"system_prompt": strings.Repeat("p", 65_000), "headers": headers,
				"parameters": parameters},
		}
		made("channels", operator.Post("/api/operator/channels", channel))
		made("access-keys", owner.Post("/api/access-keys", map[string]any{
			"name": name, "scopes": []string{"tokens:read"}, "addresses": manyAddresses()[:100],
			"expires_at": s.Now().Add(time.Hour),
		}))
		accountKeys := slicesOf(500,
			func(i int) any { return map[string]any{"id": fmt.Sprint("key ", i), "mask": strings.Repeat("m", 60)} })
		made("billing-accounts", operator.Post("/api/operator/billing-accounts", map[string]any{"name": name,
			"provider": "csv", "channels": []string{s.Channel.ID.String()}, "keys": accountKeys}))
	}
	price := fatPrice()
	for i := range 80 {
		operator.Post("/api/operator/models", map[string]any{"id": fmt.Sprint("fat-", i),
			"owned_by": strings.Repeat("o", 200), "price": price}).Want(s.T, http.StatusCreated)
	}
	storetest.Exec(s.T, s.Database, `UPDATE usage_logs SET tags = '{"feature":"`+strings.Repeat("x", 400_000)+`"}'`)
	return ids
}

// fatPrice returns a price with all tiers and service tiers that a price can have.
func fatPrice() map[string]any {
	rates := func(more map[string]any) map[string]any {
		for _, class := range []string{"input", "cached_input", "cache_write", "cache_write_1h", "audio_input",
			"image_input", "output", "reasoning", "audio_output", "image_output"} {
			more[class] = "123456.123456789"
		}
		return more
	}
	tiers := slicesOf(10, func(i int) any { return rates(map[string]any{"above_input": 1000 * (i + 1)}) })
	services := map[string]any{}
	for i := range 8 {
		services[fmt.Sprint("service-", i)] = rates(map[string]any{"tiers": tiers})
	}
	return rates(map[string]any{"tiers": tiers, "service_tiers": services})
}

// The fattest rows that the API lets people create are in every list. No answer exceeds the bound. The walk is over the
// operations of the document, so that a new list is tested without a change here.
func TestLists_OfTheFattestRowsStayWithinTheBound(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	fattest(s)
	lists := 0
	operations(t, func(path, method string, op map[string]any) {
		if method != http.MethodGet || strings.Contains(path, "{") || strings.HasSuffix(path, "/file") {
			return
		}
		query := url.Values{}
		parameters, _ := op["parameters"].([]any)
		for _, parameter := range parameters {
			switch consoletest.Text(t, parameter, "name") {
			case "limit":
				query.Set("limit", "200")
				lists++
			case "complete":
				query.Set("complete", "true")
			}
		}
		for _, me := range []*consoletest.Client{s.As(s.Operator), s.As(s.Acme.Owner), s.As(s.Acme.Member)} {
			for after := ""; ; {
				r := me.Get(path + "?" + query.Encode() + after)
				if len(r.Raw) > mostBytes {
					t.Errorf("GET %s: got %d bytes, want at most %d", path, len(r.Raw), mostBytes)
				}
				next, _ := r.JSON["next"].(string)
				if next == "" {
					break
				}
				after = "&after=" + next
			}
		}
	})
	if lists < 15 {
		t.Errorf("got %d lists, want at least 15", lists)
	}
}

// Items of a list answer have the first 20 members of their lists, the single resource and a list that is asked for
// complete items have all. The count says how many there are.
func TestLists_HaveTheFirstMembersOfLongLists(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	ids := fattest(s)
	operator, owner := s.As(s.Operator), s.As(s.Acme.Owner)
	for _, row := range []struct {
		me            *consoletest.Client
		path          string
		counts        map[string]int // by field; a dot leads into a field
		completeLists bool
	}{
		{owner, "/api/tokens", map[string]int{"models": 1000, "addresses": 300}, false},
		{owner, "/api/access-keys", map[string]int{"addresses": 100}, false},
		{operator, "/api/operator/groups", map[string]int{"models": 1000}, true},
		{operator, "/api/operator/channels", map[string]int{"models": 1000, "api_key_masks": 100,
			"settings.headers": 32, "settings.parameters": 32}, true},
		{operator, "/api/operator/billing-accounts", map[string]int{"keys": 500}, false},
	} {
		id := ids[row.path[strings.LastIndex(row.path, "/")+1:]]
		check := func(what string, item any, want func(all int) int) {
			for field, all := range row.counts {
				if n := reflect.ValueOf(consoletest.At(s, item, steps(field)...)).Len(); n != want(all) {
					s.Errorf("%s %s: %s has %d members, want %d", what, row.path, field, n, want(all))
				}
				consoletest.Equal(s.T, item, float64(all), steps(field+"_count")...)
			}
		}
		check("GET one of", row.me.Get(row.path+"/"+id).Want(t, http.StatusOK), func(all int) int { return all })
		found := func(query string) any {
			for after := ""; ; {
				body := row.me.Get(row.path+query+after).Want(t, http.StatusOK)
				for _, item := range consoletest.Items(s, body) {
					if consoletest.Text(s, item, "id") == id {
						return item
					}
				}
				if after = "&after=" + consoletest.Text(s, body, "next"); after == "&after=" {
					s.Fatalf("%s has no %s", row.path, id)
				}
			}
		}
		check("GET", found("?limit=200"), func(int) int { return 20 })
		if row.completeLists {
			check("GET complete", found("?limit=200&complete=true"), func(all int) int { return all })
		}
	}
}

// steps returns the path to a field for at.
func steps(field string) (path []any) {
	for _, name := range strings.Split(field, ".") {
		path = append(path, name)
	}
	return path
}

// mostMembers bounds the lists inside of the items of a list answer that have no count next to them.
const mostMembers = 20

// boundedOtherwise are the lists inside of items, by operation and path, that are bounded without a number in the
// document.
var boundedOtherwise = map[string]string{
	"listAuditLog detail": "values above 8 KiB are counts and hashes", "listTenantAuditLog detail": "as above",
	"listAuditLog before": "as above", "listTenantAuditLog before": "as above",
	"listAuditLog names": "the ids in detail and before", "listTenantAuditLog names": "as above",
	"listJobs result.catalogue_import.deeds":         "only getJob has results",
	"listJobs result.catalogue_import.faults":        "as above",
	"listJobs result.catalogue_import.warnings":      "as above",
	"listJobs result.price_simulation.groups.items":  "as above",
	"listJobs result.price_simulation.models.items":  "as above",
	"listJobs result.price_simulation.tenants.items": "as above",
	"listChannels dropped_api_key_masks":             "only updateChannel has them",
	"comparePriceCatalog changes":                    "the rates that a price can have",
	"comparePriceCatalog entry.aliases":              "the catalog is a part of the program",
	"listPriceCatalogEntries aliases":                "the catalog is a part of the program",
}

// wholeLists are the list operations without pages, with what bounds them.
var wholeLists = map[string]string{
	"getUsageSummary": "10,000 rows", "getUsageAttribution": "limit", "listUnpricedCalls": "limit",
	"listTokenClients":        "21 clients",
	"listSupplierDays":        "days",
	"listPriceCatalogEntries": "the catalog is a part of the program",
}

// A list inside of an item of a list answer has at most 20 members, or the count of all next to it: then the answer has
// the first 20. The walk is over the document, so that an operation or a list that is added later is found.
func TestLists_HaveBoundsForTheListsInsideOfTheirItems(t *testing.T) {
	t.Parallel()
	seen, counted := 0, 0
	used := map[string]bool{}
	operations(t, func(_, method string, op map[string]any) {
		id := consoletest.Text(t, op, "operationId")
		answer := answerSchema(t, op)
		list, isList := answer.field("items")
		if method != http.MethodGet || !isList {
			return
		}
		seen++
		if _, pages := answer.field("next"); !pages && wholeLists[id] == "" {
			t.Errorf("%s is a list without next: end its pages at about 1 MiB, or add it to wholeLists with what "+
				"bounds it", id)
		}
		list.members().lists("", func(path string, bound int, hasCount bool) {
			switch {
			case hasCount:
				counted++
			case bound > 0 && bound <= mostMembers:
			case boundedOtherwise[id+" "+path] != "":
				used[id+" "+path] = true
			default:
				t.Errorf("%s: the list %s of an item has neither a bound up to %d in the document nor a count next "+
					"to it", id, path, mostMembers)
			}
		})
	})
	if seen < 25 || counted < 12 {
		t.Errorf("got %d lists and %d counted lists in items, want at least 25 and 12", seen, counted)
	}
	for name := range boundedOtherwise {
		if !used[name] {
			t.Errorf("%s is in boundedOtherwise without need", name)
		}
	}
}

// schema is a schema of the OpenAPI document.
type schema struct {
	t    *testing.T
	json map[string]any
	from []string // the names of the schemas that contain it
}

// answerSchema returns the schema of the JSON answer of an operation with the status 200.
func answerSchema(t *testing.T, op map[string]any) schema {
	t.Helper()
	found := op["responses"]
	for _, key := range []string{"200", "content", "application/json", "schema"} {
		object, _ := found.(map[string]any)
		found = object[key]
	}
	json, _ := found.(map[string]any)
	return schema{t: t, json: json}.resolved()
}

// resolved returns the schema that a reference names.
func (s schema) resolved() schema {
	s.t.Helper()
	ref, ok := s.json["$ref"].(string)
	if !ok {
		return s
	}
	name := strings.TrimPrefix(ref, "#/components/schemas/")
	return schema{s.t, consoletest.As[map[string]any](s.t, consoletest.At(s.t, document(s.t), "components", "schemas",
		name)), append(slices.Clone(s.from), name)}
}

// field returns the schema of a field.
func (s schema) field(name string) (schema, bool) {
	fields, _ := s.json["properties"].(map[string]any)
	json, ok := fields[name].(map[string]any)
	return schema{s.t, json, s.from}.resolved(), ok
}

// members returns the schema of the members of an array or a map.
func (s schema) members() schema {
	for _, key := range []string{"items", "additionalProperties"} {
		if json, ok := s.json[key].(map[string]any); ok {
			return schema{s.t, json, s.from}.resolved()
		}
	}
	return schema{t: s.t}
}

// lists calls visit with each array and each map below the schema, with its bound in the document, or 0, and whether
// the field has the count of its members next to it.
func (s schema) lists(path string, visit func(path string, bound int, hasCount bool)) {
	if recursive := len(s.from) > 0 && slices.Contains(s.from[:len(s.from)-1], s.from[len(s.from)-1]); recursive {
		return
	}
	fields, _ := s.json["properties"].(map[string]any)
	for name := range fields {
		child, _ := s.field(name)
		below := strings.TrimPrefix(path+"."+name, ".")
		bound, _ := strconv.Atoi(fmt.Sprint(cmp.Or(child.json["maxItems"], child.json["maxProperties"])))
		isMap := child.json["additionalProperties"] != nil && child.json["additionalProperties"] != false &&
			child.json["properties"] == nil
		if child.json["items"] != nil || isMap {
			_, counted := fields[name+"_count"]
			visit(below, bound, counted)
			child.members().lists(below, visit)
			continue
		}
		child.lists(below, visit)
	}
}

// Entries of earlier versions hold whole lists. Pages and the file of the log stay small and complete with them, too.
func TestAuditLog_WithLargeEntriesIsReadInParts(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		detail := `{"models":["` + strings.Join(fatList(), `","`) + `"]}`
		s.Must(s.Store.Audit.Append(s.Context(), consoletest.System, slicesOf(30, func(int) audit.Entry {
			return audit.Entry{TenantID: s.Acme.ID, Actor: "old", Action: "token.update",
				Target: s.Acme.Token.ID.String(), CreatedAt: s.Now()}
		})))
		storetest.Exec(s.T, s.Database, "UPDATE audit_log SET detail = '"+detail+"' WHERE actor = 'old'")
		owner := s.As(s.Acme.Owner)
		ids, pages := pagesOf(owner, "/api/audit-log?limit=200&actor=old")
		if len(ids) != 30 || pages < 5 {
			s.Errorf("got %d entries on %d pages, want 30 on at least 5", len(ids), pages)
		}
		r := owner.Get("/api/audit-log/file?actor=old")
		r.Want(s.T, http.StatusOK)
		lines, err := csv.NewReader(strings.NewReader(r.Raw)).ReadAll()
		if err != nil || len(lines) != 31 || lines[30][5] != lines[1][5] || len(lines[1][5]) < 190_000 {
			s.Errorf("the file has %d lines (err %v), want 31 with the whole details", len(lines), err)
		}
	})
}

func slicesOf[T any](n int, make func(int) T) (all []T) {
	for i := range n {
		all = append(all, make(i))
	}
	return all
}

// A member wrote 12 GB an hour into the audit log, by replacing the list of a token again and again.
func TestAuditLog_IsNotFilledByOneMember(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		s.StopClock()
		me, owner := s.As(s.Acme.Member), s.As(s.Acme.Owner)
		path := "/api/tokens/" + s.Acme.Token.ID.String()
		me.Patch(path, map[string]any{"models": fatList()}).Want(s.T, http.StatusOK)
		entry := actions(owner, "token.update")[0]
		consoletest.Equal(s.T, entry, 1000.0, "detail", "models", "count")
		if sum := consoletest.Text(s, entry, "detail", "models", "sha256"); len(sum) != 64 {
			s.Errorf("got the hash %q", sum)
		}
		if r := owner.Get("/api/audit-log?action=token.update"); len(r.Raw) > 10<<10 {
			s.Errorf("the entry has %d bytes", len(r.Raw))
		}
		changes := 1
		for ; changes < 1000; changes++ {
			r := me.Patch(path, map[string]any{"name": fmt.Sprint("n", changes)})
			if r.StatusCode == http.StatusTooManyRequests {
				if r.Header.Get("Retry-After") == "" {
					s.Error("the refusal has no Retry-After")
				}
				break
			}
			r.Want(s.T, http.StatusOK)
		}
		if changes != 600 {
			s.Errorf("%d changes succeeded, want 600", changes)
		}
		me.Get("/api/tokens").Want(s.T, http.StatusOK)
		owner.Patch(path, map[string]any{"name": "mine"}).Want(s.T, http.StatusOK)
		s.Advance(2 * time.Second)
		me.Patch(path, map[string]any{"name": "later"}).Want(s.T, http.StatusOK)
	})
}

// The changes of an access key do not keep its user from revoking it, and all keys of a user count together.
func TestChanges_OfKeysAreNotThoseOfTheirUser(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.StopClock()
	scopes := []token.AccessScope{token.ReadTokens, token.WriteTokens}
	key, value := s.ScopedKey(s.Acme.Member, token.AccessKey{Scopes: scopes})
	_, another := s.ScopedKey(s.Acme.Member, token.AccessKey{Scopes: scopes})
	program, path := &consoletest.Client{Stack: s, Key: value}, "/api/tokens/"+s.Acme.Token.ID.String()
	for range 610 { // reads
		program.Post("/api/tokens/preview", map[string]any{}).Want(t, http.StatusOK)
	}
	for i := range 600 {
		program.Patch(path, map[string]any{"name": fmt.Sprint("n", i)}).Want(t, http.StatusOK)
	}
	program.Patch(path, map[string]any{"name": "more"}).Refused(t, http.StatusTooManyRequests, "")
	(&consoletest.Client{Stack: s, Key: another}).Patch(path, map[string]any{"name": "more"}).
		Refused(t, http.StatusTooManyRequests, "")
	program.Post("/api/tokens/lookup", map[string]any{"value": "sk-unknown"}).Refused(t, http.StatusNotFound, "")
	s.As(s.Acme.Member).Do(http.MethodDelete, "/api/access-keys/"+key.ID.String(), nil).Want(t, http.StatusNoContent)
}

// What operators read by the id of a user or a token, or of everybody, is in the logs of the tenants.
func TestAuditLog_HasWhatOperatorsReadByOtherIDs(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		user, tokenID := s.Acme.Member.ID.String(), s.Acme.Token.ID.String()
		want := map[string]func(*consoletest.Client) consoletest.Reply{
			"GET /api/quota": func(c *consoletest.Client) consoletest.Reply {
				return c.Get("/api/quota?user_id=" + user)
			},
			"GET /api/operator/users/{id}/sessions": func(c *consoletest.Client) consoletest.Reply {
				return c.Get("/api/operator/users/" + user + "/sessions")
			},
			"GET /api/tokens/{id}/models": func(c *consoletest.Client) consoletest.Reply {
				return c.Get("/api/tokens/" +
					tokenID + "/models")
			},
			"GET /api/tokens/{id}/clients": func(c *consoletest.Client) consoletest.Reply {
				return c.Get("/api/tokens/" + tokenID + "/clients")
			},
			"GET /api/usage-summary": func(c *consoletest.Client) consoletest.Reply {
				return c.Get(
					"/api/usage-summary?user_id=" + user)
			},
			"GET /api/usage-overview": func(c *consoletest.Client) consoletest.Reply {
				return c.Get("/api/usage-overview?user_id=" + user)
			},
			"POST /api/operator/routing/explain": func(c *consoletest.Client) consoletest.Reply {
				return c.Post("/api/operator/routing/explain", map[string]any{"model": "gpt-4o-mini", "user_id": user})
			},
			"POST /api/jobs/usage-export": func(c *consoletest.Client) consoletest.Reply {
				return c.Post("/api/jobs/usage-export", map[string]any{"format": "csv"})
			},
		}
		operator := s.As(s.Operator)
		for name, read := range want {
			if r := read(operator); r.StatusCode >= http.StatusMultipleChoices {
				s.Errorf("%s: got status %d: %s", name, r.StatusCode, r.Raw)
			}
		}
		s.Must(s.App.Stop(s.Context()))
		seen := map[string]any{}
		for _, entry := range actions(s.As(s.Acme.Owner), "tenant.read") {
			consoletest.Equal(s.T, entry, s.Operator.Email, "actor")
			for name, count := range consoletest.As[map[string]any](s, consoletest.At(s, entry, "detail", "requests")) {
				seen[name] = count
			}
		}
		for name := range want {
			if seen[name] == nil {
				s.Errorf("the log of the tenant has no %s: %v", name, seen)
			}
		}
		if other := actions(s.As(s.Globex.Owner), "tenant.read"); len(other) != 1 ||
			consoletest.At(s, other[0], "detail", "requests", "POST /api/jobs/usage-export") == nil {
			s.Errorf("the log of a tenant whose logs were exported with all others has %v", other)
		}
	})
}

// An answer that names users, and a downloaded file, are in the logs of the tenants whose data they have, although the
// request names none.
func TestAuditLog_HasTheTenantsOfAnswersAndFiles(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		s.DrainUsage()
		operator := s.As(s.Operator)
		if rows := consoletest.Items(s, operator.Get("/api/usage-summary?by=user").
			Want(s.T, http.StatusOK)); len(rows) != 2 {
			s.Fatalf("got the usage of %v, want that of a user of each tenant", rows)
		}
		created := operator.Post("/api/jobs/usage-export", map[string]any{"format": "csv"}).
			Want(s.T, http.StatusAccepted)
		c := s.ClaimOf(created)
		s.Must(s.Store.Job.FinishJob(s.Context(), consoletest.System, c.Ref,
			jobdb.End{Step: s.GzipPart("id\r\n"), Result: job.ExportResult{}}))
		if file := operator.Get("/api/jobs/" + consoletest.Text(s, created, "id") +
			"/file"); file.StatusCode != http.StatusOK {
			s.Fatalf("got %d %s, want the file", file.StatusCode, file.Raw)
		}
		s.Must(s.App.Stop(s.Context()))
		want := map[string]bool{"GET /api/usage-summary": true, "GET /api/jobs/{id}/file": true,
			"POST /api/jobs/usage-export": true}
		for _, of := range []*consoletest.Company{&s.Acme, &s.Globex} {
			seen := map[string]bool{}
			for _, entry := range actions(s.As(of.Owner), "tenant.read") {
				for name := range consoletest.As[map[string]any](s, consoletest.At(s, entry, "detail", "requests")) {
					seen[name] = true
				}
			}
			if !maps.Equal(seen, want) {
				s.Errorf("the log of %s has %v, want %v", of.Slug, seen, want)
			}
		}
	})
}

// Refused confirmations, wrong codes and tests with a stored credential are in the log of the platform.
func TestAuditLog_HasRefusedConfirmationsAndTestsOfChannels(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		// The call must not leave the machine.
		storetest.Exec(s.T, s.Database, "UPDATE channels SET base_url = 'http://127.0.0.1:1/v1'")
		operator, channel := s.As(s.Operator), s.Channel.ID.String()
		operator.Post("/api/operator/channels/"+channel+"/test", map[string]any{}).Want(s.T, http.StatusOK)
		operator.Post("/api/session/confirmation", map[string]any{"code": "000000"}).Want(s.T, http.StatusBadRequest)
		s.Advance(16 * time.Minute)
		refused := operator.Post("/api/access-keys", map[string]any{"name": "k", "scopes": []string{"tokens:read"},
			"expires_at": s.Now().Add(time.Hour)})
		consoletest.Equal(s.T, refused.Want(s.T, http.StatusForbidden), "confirmation_required", "code")
		s.Must(s.App.Stop(s.Context()))

		platform := func(action string) []any {
			return consoletest.Items(s, operator.Get("/api/operator/audit-log?action="+action).Want(s.T, http.StatusOK))
		}
		if found := platform("channel.test"); len(found) != 1 || consoletest.Text(s, found[0], "target") != channel ||
			consoletest.Text(s, found[0], "actor") != s.Operator.Email {
			s.Errorf("channel.test: got %v", found)
		}
		if found := platform("session.refused"); len(found) != 1 ||
			consoletest.At(s, found[0], "detail", "accounts", s.Operator.Email) == nil {
			s.Errorf("session.refused: got %v", found)
		}
		if found := platform("request.refused"); len(found) != 1 ||
			consoletest.At(s, found[0], "detail", "requests", "POST /api/access-keys 403") == nil {
			s.Errorf("request.refused: got %v", found)
		}
	})
}
