package pricecatalog_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/pricecatalog"
)

// miniFile is a price catalog with an entry for the model of the stack, which its channel calls upstream-mini.
func miniFile(input, output string, checked bool) string {
	return fmt.Sprintf(
		`{"version": 1, "updated": "2026-11-01", "entries": [{"provider": "acme", "model": "mini", "aliases": ["upstream-mini"],
		"price": {"input": %q, "output": %q}, "context_length": 128000, "max_output_tokens": 4096, "modalities": {"input": ["text"], "output": ["text"]},
		"source": "https://acme.example/prices", "read": "2026-11-01", "checked": %v}]}`, input, output, checked)
}

func upload(c *consoletest.Client, file string) consoletest.Reply {
	c.Helper()
	return c.Do(http.MethodPut, "/api/operator/price-catalog", map[string]any{"file": file})
}

// compared returns the checksum of the file and the only difference from current prices.
func compared(c *consoletest.Client) (sha256, difference any) {
	c.Helper()
	page := c.Get("/api/operator/price-catalog/changes").Want(c, http.StatusOK)
	list := consoletest.Items(c, page)
	if len(list) != 1 {
		c.Fatalf("got %d differences, want 1: %v", len(list), page)
	}
	return page["sha256"], list[0]
}

func TestPriceCatalog_ShipsWithTheProductAndCanBeReplaced(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	shown := operator.Get("/api/operator/price-catalog").Want(t, http.StatusOK)
	consoletest.Equal(t, shown, "built-in", "source")
	consoletest.Equal(t, shown, nil, "stored_at")
	entries := consoletest.Items(t, operator.Get("/api/operator/price-catalog/entries?model=gpt-4o-mini").
		Want(t, http.StatusOK))
	if len(entries) != 1 {
		t.Fatalf("got entries %v, want that of OpenAI", entries)
	}
	if entry, ok := entries[0].(map[string]any); !ok || entry["id"] != "openai/gpt-4o-mini" ||
		entry["context_length"] != 128000.0 || entry["max_output_tokens"] != 16384.0 {
		t.Errorf("got entry %v", entries[0])
	}
	if found := consoletest.Items(t, operator.Get("/api/operator/price-catalog/entries?search=GPT").
		Want(t, http.StatusOK)); len(found) < 10 || len(found) > 50 {
		t.Errorf("found %d entries", len(found))
	}

	shown = upload(operator, miniFile("0.15", "0.60", true)).Want(t, http.StatusOK)
	consoletest.Equal(t, shown, "upload", "source")
	consoletest.Equal(t, shown, 1.0, "entries")
	consoletest.Equal(t, shown, "2026-11-01", "updated")
	if actions := consoletest.Items(t, operator.Get("/api/operator/audit-log?action=price_catalog.replace").
		Want(t, http.StatusOK)); len(actions) != 1 {
		t.Errorf("got %d entries of the audit log, want 1", len(actions))
	}
	shown = operator.Do(http.MethodDelete, "/api/operator/price-catalog", nil).Want(t, http.StatusOK)
	consoletest.Equal(t, shown, "built-in", "source")
}

// It runs alone: its files take so much memory and CPU with the race detector that requests of other tests time out.
func TestPriceCatalog_RefusesHostileFilesAndKeepsThePresentOne(t *testing.T) { //nolint:paralleltest // see above
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	upload(operator, miniFile("0.15", "0.60", true)).Want(t, http.StatusOK)
	good := miniFile("1", "2", true)
	for name, row := range map[string]struct {
		file   string
		status int
		param  string
	}{
		"negative":      {miniFile("-1", "2", true), 400, "entries[0].price.input"},
		"1e30":          {miniFile("1e30", "2", true), 400, "entries[0].price.input"},
		"unknown class": {strings.Replace(good, `"output"`, `"video_output"`, 1), 400, "entries[0].price.video_output"},
		"duplicate":     {strings.Replace(good, `"provider"`, `"model": "x", "provider"`, 1), 400, "entries[0].model"},
		"YAML":          {"a: &a [1]\nb: [*a, *a]", 400, "file"},
		"too large":     {good + strings.Repeat(" ", pricecatalog.MaxBytes), 400, "file"},
		"100 MB":        {strings.Repeat("a", 100<<20), 413, ""},
	} {
		if r := upload(operator, row.file); r.StatusCode != row.status || row.param != "" &&
			!strings.Contains(r.Raw, row.param) {
			t.Errorf("%s: got %d %.300s, want %d at %s", name, r.StatusCode, r.Raw, row.status, row.param)
		}
	}
	consoletest.Equal(t, operator.Get("/api/operator/price-catalog").Want(t, http.StatusOK), "2026-11-01", "updated")
}

func TestCreatePrice_RefusesHostilePrices(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	tiers := func(n int) string {
		return `{"input": "1", "tiers": [` + strings.TrimSuffix(strings.Repeat(`{"above_input": 9, "input": "2"}, `, n),
			", ") + `]}`
	}
	multiplier := func(text string) string {
		return `{"input": "1", "service_tiers": {"flex": {"multiplier": ` + text + `}}}`
	}
	for name, row := range map[string]struct {
		price  string
		status int
		says   string // the field, or a part of the message
	}{
		"negative":                    {`{"input": "-1"}`, 400, "price.input"},
		"1e30":                        {`{"input": 1e30}`, 400, "price.input"},
		"1e30 in quotes":              {`{"input": "1e30"}`, 400, "price.input"},
		"NaN":                         {`{"input": NaN}`, 400, "JSON"},
		"NaN in quotes":               {`{"input": "NaN"}`, 400, "price.input"},
		"more than all money":         {`{"input": "9223372036854775808"}`, 400, "price.input"},
		"more than tokens can have":   {`{"input": "1000000.000000001"}`, 400, "price.input"},
		"an unknown class":            {`{"input": "1", "hologram": "1"}`, 400, "hologram"},
		"tiers out of order":          {tiers(2), 400, "price.tiers[1].above_input"},
		"ten thousand tiers":          {tiers(10_000), 413, ""},
		"a thousand tiers":            {tiers(1_000), 400, "price.tiers"},
		"a multiplier of zero":        {multiplier(`"0"`), 400, "price.service_tiers.flex.multiplier"},
		"a negative multiplier":       {multiplier(`"-1"`), 400, "multiplier"},
		"a multiplier of 1e30":        {multiplier(`"1e30"`), 400, "multiplier"},
		"a multiplier of a million":   {multiplier(`"1000001"`), 400, "price.service_tiers.flex.multiplier"},
		"a class that is named twice": {`{"input": "1", "input": "2"}`, 400, "only once"},
		"deep nesting":                {strings.Repeat(`{"input": `, 5_000), 400, ""},
		"a list that never ends":      {`{"tiers": ` + strings.Repeat("[", 50_000), 400, ""},
		"100 MB":                      {`{"input": "` + strings.Repeat("1", 100<<20) + `"}`, 413, ""},
	} {
		r := operator.Post("/api/operator/prices", `{"model": "gpt-4o-mini", "price": `+row.price+`}`)
		if r.StatusCode != row.status || !strings.Contains(r.Raw, row.says) || len(r.Raw) > 2000 {
			t.Errorf("%s: got %d %.300s, want %d at %s", name, r.StatusCode, r.Raw, row.status, row.says)
		}
	}
}

func TestPriceCatalog_AppliesScheduledPricesThatWereConfirmed(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	operator.Post("/api/operator/prices", map[string]any{"model": "gpt-4o-mini",
		"price": map[string]any{"input": "1", "output": "4"}}).Want(t, http.StatusCreated)
	upload(operator, miniFile("2", "3", false)).Want(t, http.StatusOK)
	sha256, difference := compared(operator)
	shown, ok := difference.(map[string]any)
	if !ok {
		t.Fatal(difference)
	}
	consoletest.Equal(t, shown, "gpt-4o-mini", "model")
	consoletest.Equal(t, shown, "acme/mini", "entry", "id")
	consoletest.Equal(t, shown, "input", "changes", 0, "rate")
	consoletest.Equal(t, shown, "1", "changes", 0, "old")
	consoletest.Equal(t, shown, "2", "changes", 0, "new")
	consoletest.Equal(t, shown, 100.0, "changes", 0, "percent")
	consoletest.Equal(t, shown, "large_rise", "changes", 0, "warning")
	consoletest.Equal(t, shown, -25.0, "changes", 1, "percent")
	consoletest.Equal(t, shown, "", "changes", 1, "warning")
	consoletest.Equal(t, shown, "large_rise", "warnings", 0)
	consoletest.Equal(t, shown, "unverified", "warnings", 1)
	consoletest.Equal(t, shown, nil, "scheduled_at")

	later := time.Now().Add(24 * time.Hour).UTC().Truncate(time.Second)
	selected := func(change func(all, one map[string]any)) map[string]any {
		one := map[string]any{"model": "gpt-4o-mini", "entry": "acme/mini", "price_id": shown["price_id"],
			"confirm": []string{"large_rise", "unverified"}}
		all := map[string]any{"sha256": sha256, "effective_from": later, "changes": []any{one}}
		change(all, one)
		return all
	}
	for name, row := range map[string]struct {
		change func(all, one map[string]any)
		status int
		param  string
	}{
		"nothing confirmed": {func(_, one map[string]any) { delete(one, "confirm") }, 400, "changes[0].confirm"},
		"one warning of two": {func(_, one map[string]any) { one["confirm"] = []string{"unverified"} }, 400,
			"changes[0].confirm"},
		"now": {func(all, _ map[string]any) { all["effective_from"] = time.Now().Add(-time.Second) },
			400, "effective_from"},
		"another file": {func(all, _ map[string]any) { all["sha256"] = strings.Repeat("0", 64) }, 409,
			"sha256"},
		"another price":          {func(_, one map[string]any) { one["price_id"] = nil }, 409, "changes[0].price_id"},
		"an unknown entry":       {func(_, one map[string]any) { one["entry"] = "acme/max" }, 400, "changes[0].entry"},
		"an entry of no channel": {func(_, one map[string]any) { one["model"] = "mini" }, 400, "changes[0].entry"},
		"twice": {func(all, one map[string]any) { all["changes"] = []any{one, one} }, 400,
			"changes[1].model"},
		"nothing": {func(all, _ map[string]any) { all["changes"] = []any{} }, 400, "changes"},
	} {
		if r := operator.Post("/api/operator/price-catalog/apply", selected(row.change)); r.StatusCode != row.status ||
			!strings.Contains(r.Raw, row.param) {
			t.Errorf("%s: got %d %s, want %d at %s", name, r.StatusCode, r.Raw, row.status, row.param)
		}
	}
	if listed := consoletest.Items(t, operator.Get("/api/operator/prices?model=gpt-4o-mini").
		Want(t, http.StatusOK)); len(listed) !=
		2 {
		t.Fatalf("refused prices were applied: %v", listed)
	}

	applied := operator.Post("/api/operator/price-catalog/apply", selected(func(_, _ map[string]any) {})).
		Want(t, http.StatusCreated)
	consoletest.Equal(t, applied, "2", "items", 0, "price", "input")
	versions := operator.Get("/api/operator/prices?model=gpt-4o-mini").Want(t, http.StatusOK)
	consoletest.Equal(t, versions, "scheduled", "items", 0, "state")
	consoletest.Equal(t, versions, "3", "items", 0, "price", "output")
	consoletest.Equal(t, versions, "current", "items", 1, "state")
	_, difference = compared(operator)
	if again, ok := difference.(map[string]any); !ok || again["scheduled_at"] != later.Format(time.RFC3339) {
		t.Errorf("got %v, want it scheduled at %v", difference, later)
	}
}

func TestPriceCatalog_ListsPagesOfModelsThatItKnows(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	for _, id := range []string{"gpt-4o", "gpt-4.1", "nobody-knows-it"} {
		operator.Post("/api/operator/models", map[string]any{"id": id, "owned_by": "x",
			"price": map[string]any{"input": "1"}}).Want(t, http.StatusCreated)
	}
	var models []string
	for after := ""; ; {
		page := operator.Get("/api/operator/price-catalog/changes?limit=1&after="+
			strings.ReplaceAll(after, " ", "%20")).Want(t, http.StatusOK)
		for _, item := range consoletest.Items(t, page) {
			if m, ok := item.(map[string]any); ok {
				models = append(models, fmt.Sprint(m["model"]))
			}
		}
		if after = fmt.Sprint(page["next"]); after == "" {
			break
		}
	}
	// gpt-4o-mini is called upstream-mini by its channel, so the entry of the same name is not that of the model.
	if got := strings.Join(models, " "); got != "gpt-4.1 gpt-4o" {
		t.Errorf("got %s, want gpt-4.1 and gpt-4o", got)
	}
}

func TestPriceCatalog_IsForOperatorsOnly(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	for _, path := range []string{"", "/entries", "/changes"} {
		s.As(s.Acme.Owner).Get("/api/operator/price-catalog"+path).Refused(t, http.StatusForbidden, "")
	}
	upload(s.As(s.Acme.Owner), miniFile("1", "2", true)).Refused(t, http.StatusForbidden, "")
	s.As(s.Acme.Owner).Do(http.MethodDelete, "/api/operator/price-catalog", nil).Refused(t, http.StatusForbidden, "")
	s.As(s.Acme.Owner).Post("/api/operator/price-catalog/models", map[string]any{"sha256": strings.Repeat("0", 64),
		"models": []any{map[string]any{"entry": "openai/gpt-4o"}}}).Refused(t, http.StatusForbidden, "")
}

func TestPriceCatalog_CreatesModelsThatDoNotExist(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	file := strings.Replace(miniFile("2", "3", false), `"entries": [`,
		`"entries": [{"provider": "zeta", "model": "upstream-mini", "price": {"input": "0", "output": "1"},
		"source": "https://zeta.example", "read": "2026-11-01", "checked": true}, {"provider": "zeta", "model": "gpt-4o-mini", "price": {"input": "9", "output": "9"},
		"source": "https://zeta.example", "read": "2026-11-01", "checked": true}, `, 1)
	upload(operator, file).Want(t, http.StatusOK)
	found := operator.Get("/api/operator/price-catalog/entries?search=mini&first=acme").Want(t, http.StatusOK)
	consoletest.Equal(t, found, "acme/mini", "items", 0, "id")
	consoletest.Equal(t, found, "unverified", "items", 0, "confirm", 0)
	consoletest.Equal(t, found, "zeta/upstream-mini", "items", 1, "id")
	consoletest.Equal(t, found, "zero", "items", 1, "confirm", 0)

	create := func(models ...any) consoletest.Reply {
		return operator.Post("/api/operator/price-catalog/models",
			map[string]any{"sha256": found["sha256"], "models": models})
	}
	mini := map[string]any{"entry": "acme/mini", "confirm": []string{"unverified"}}
	priced := map[string]any{"entry": "zeta/gpt-4o-mini"}
	for name, row := range map[string]struct {
		models []any
		status int
		param  string
	}{
		"nothing confirmed": {[]any{map[string]any{"entry": "acme/mini"}}, 400, "models[0].confirm"},
		"another warning": {[]any{mini, map[string]any{"entry": "zeta/upstream-mini",
			"confirm": []string{"unverified"}}}, 400, "models[1].confirm"},
		"an unknown entry": {[]any{mini, map[string]any{"entry": "acme/max"}}, 400, "models[1].entry"},
		"an alias instead of an entry": {[]any{map[string]any{"entry": "acme/upstream-mini",
			"confirm": []string{"unverified"}}}, 400, "models[0].entry"},
		"one id twice": {[]any{mini, map[string]any{"entry": "zeta/gpt-4o-mini", "model": "mini"}}, 400,
			"models[1].model"},
		"a malformed id": {[]any{mini, map[string]any{"entry": "zeta/gpt-4o-mini", "model": "two words"}}, 400,
			"models[1].model"},
		"nothing": {[]any{}, 400, "models"},
	} {
		if r := create(row.models...); r.StatusCode != row.status || !strings.Contains(r.Raw, row.param) {
			t.Errorf("%s: got %d %s, want %d at %s", name, r.StatusCode, r.Raw, row.status, row.param)
		}
	}
	stale := map[string]any{"sha256": strings.Repeat("0", 64), "models": []any{mini}}
	operator.Post("/api/operator/price-catalog/models", stale).Refused(t, http.StatusConflict, "sha256")
	if models := consoletest.Items(t, operator.Get("/api/operator/models").Want(t, http.StatusOK)); len(models) != 1 {
		t.Fatalf("refused models were created: %v", models)
	}

	made := create(priced, mini).Want(t, http.StatusCreated)
	consoletest.Equal(t, made, "gpt-4o-mini", "items", 0, "model")
	consoletest.Equal(t, made, false, "items", 0, "created")
	consoletest.Equal(t, made, "mini", "items", 1, "model")
	consoletest.Equal(t, made, true, "items", 1, "created")
	models := operator.Get("/api/operator/models").Want(t, http.StatusOK)
	consoletest.Equal(t, models, "0.15", "items", 0, "price", "input")
	consoletest.Equal(t, models, "mini", "items", 1, "id")
	consoletest.Equal(t, models, "acme", "items", 1, "owned_by")
	consoletest.Equal(t, models, "2", "items", 1, "price", "input")
	consoletest.Equal(t, models, 128000.0, "items", 1, "context_length")
	consoletest.Equal(t, models, 4096.0, "items", 1, "max_output")
	consoletest.Equal(t, models, "text", "items", 1, "modalities", "output", 0)
	consoletest.Equal(t, create(mini).Want(t, http.StatusCreated), false, "items", 0, "created")
}
