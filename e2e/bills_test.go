package e2e

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"go.yaml.in/yaml/v3"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
)

// workedExample is an answer of a provider, and what it costs by the provider's public prices. The files in
// testdata/bills have them.
type workedExample struct {
	Name, Model  string
	Source, Read string // where the price was read, and on which day
	Price        any
	Group        string // multiplier of the caller's group, "" for 1
	Ask          map[string]any

	Usage any     // as the provider reports it
	Tier  *string // the service tier that the answer names
	// The service tier that the first events of a stream name, if it is another one.
	FirstTier *string        `yaml:"first_tier"`
	Items     []any          // output items of the provider's tools
	Tools     any            // the object tool_usage
	Ends      string         // "": completely; incomplete; failed; cut: the connection breaks off
	Groq      bool           // a stream has its usage in x_groq
	Repeats   *bool          // the last event of a stream repeats the items; the default
	Forms     []string       // json, stream; by default both
	Clients   []string       // dialects of the clients; by default the upstream's, or both if no client speaks it
	JSON      string         // the whole answer as the provider spells it, in place of all of the above
	Stream    []string       // the data of the frames of a stream, likewise
	Log       map[string]any // counts of the usage log that are not 0
	Estimated bool
	Work      string // the arithmetic, by hand
	Cost      string // USD

	id, upstream string
}

// workedExamples reads the files.
func workedExamples(t *testing.T) (all []*workedExample) {
	t.Helper()
	files, err := filepath.Glob("testdata/bills/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var in struct {
			Upstream string
			Bills    []*workedExample
		}
		if err := yaml.Unmarshal(text, &in); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for i, b := range in.Bills {
			b.upstream, b.id = in.Upstream,
				fmt.Sprintf("%s-%02d", strings.TrimSuffix(filepath.Base(file), ".yaml"), i+1)
			all = append(all, b)
		}
	}
	return all
}

// forms returns whether the example is called as JSON and as a stream.
func (b *workedExample) forms() []string {
	switch {
	case b.Forms != nil:
		return b.Forms
	case b.Ends == "cut", b.Stream != nil && b.JSON == "":
		return []string{"stream"}
	case b.JSON != "" && b.Stream == nil:
		return []string{"json"}
	}
	return []string{"json", "stream"}
}

// clients returns the dialects of the clients. Answers in dialects that no client speaks are translated to both.
func (b *workedExample) clients() []string {
	if b.Clients != nil {
		return b.Clients
	}
	if b.upstream == "chat" || b.upstream == "responses" {
		return []string{b.upstream}
	}
	return []string{"chat", "responses"}
}

// exampleToken returns the token of the tenant whose group has the multiplier.
func exampleToken(multiplier string) string {
	return "example-token-" + strings.ReplaceAll(multiplier, ".", "-") + "-0123456789abcdef"
}

// exampleManifest returns the manifest of the examples: for each a model with its price, and a channel.
func exampleManifest(t *testing.T, all []*workedExample) string {
	t.Helper()
	var models, channels, groups, tenants strings.Builder
	multipliers := map[string]bool{"1": true}
	for _, b := range all {
		if b.Group != "" {
			multipliers[b.Group] = true
		}
		price, err := json.Marshal(b.Price)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&models, "  - {id: %q, owned_by: acme, price: %s}\n", b.id, price)
		kind, endpoint := "openai", b.upstream
		switch b.upstream {
		case "messages":
			kind = "anthropic"
		case "gemini":
			kind = "gemini"
		}
		fmt.Fprintf(&channels, "  - {name: %q, type: %s, base_url: \"${UPSTREAM_URL}\", api_keys: [upstream-key-0], "+
			"endpoints: [%s], models: {%q: %q}}\n", b.id, kind, endpoint, b.id, b.id)
	}
	for _, multiplier := range slices.Sorted(maps.Keys(multipliers)) {
		name := "g" + strings.ReplaceAll(multiplier, ".", "-")
		fmt.Fprintf(&groups, "  - {name: %s, multiplier: %q, models: [\"*\"]}\n", name, multiplier)
		tenants.WriteString(tenant(name, "100000", name,
			fmt.Sprintf("[{name: main, value: %s}]", exampleToken(multiplier))))
	}
	return join("groups:", groups.String(), "models:", models.String(), "channels:", channels.String(), "tenants:",
		tenants.String())
}

// exampleCall is a call of an example, and the usage log that it must have.
type exampleCall struct {
	example      *workedExample
	form, client string
	id           string // of the request
}

// exampleCalls returns the calls of the examples: with each client in each form.
func exampleCalls(all []*workedExample) (calls []exampleCall) {
	for _, b := range all {
		for _, client := range b.clients() {
			for _, form := range b.forms() {
				calls = append(calls, exampleCall{example: b, form: form, client: client})
			}
		}
	}
	return calls
}

// token returns the token of the tenant that calls the example.
func (b *workedExample) token() string { return exampleToken(cmp.Or(b.Group, "1")) }

// ask calls the example's model with openai-go and returns the request id.
func (b *workedExample) ask(t *testing.T, w *testbed, client, form string) string {
	t.Helper()
	var answered *http.Response
	options := []option.RequestOption{option.WithMaxRetries(0), option.WithResponseInto(&answered)}
	for name, value := range b.Ask {
		options = append(options, option.WithJSONSet(name, value))
	}
	sdk := w.sdk(b.token())
	ctx := story.Context(t)
	var err error
	chat := openai.ChatCompletionNewParams{Model: b.id,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hello world")}}
	respond := responses.ResponseNewParams{Model: b.id,
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("hello world")}, Store: openai.Bool(false)}
	switch client + " " + form {
	case "chat json":
		_, err = sdk.Chat.Completions.New(ctx, chat, options...)
	case "chat stream":
		stream := sdk.Chat.Completions.NewStreaming(ctx, chat, options...)
		for stream.Next() {
		}
		err = errors.Join(stream.Err(), stream.Close())
	case "responses json":
		_, err = sdk.Responses.New(ctx, respond, options...)
	case "responses stream":
		stream := sdk.Responses.NewStreaming(ctx, respond, options...)
		for stream.Next() {
		}
		err = errors.Join(stream.Err(), stream.Close())
	}
	if answered == nil || err != nil && b.Ends != "cut" && b.Ends != "failed" {
		t.Fatalf("%s %s, %s, %s: %v", b.id, b.Name, client, form, err)
	}
	return answered.Header.Get("X-Request-Id")
}

// TestBills_CostWhatTheProvidersPricesSay sends the worked examples through openai-go, and then through openai-node, to
// a relay and a fake upstream. The usage log, its cost to the nano-dollar and the receipt must be those of the example,
// and every bill must verify.
func TestBills_CostWhatTheProvidersPricesSay(t *testing.T) {
	t.Parallel()
	all := workedExamples(t)
	w := testbedWith(t, stack.Options{Manifest: exampleManifest(t, all)})
	for _, b := range all {
		reply := b.reply(t)
		reply.Lenient = len(b.Ask) > 0 // fields of vendors that OpenAI does not have
		w.upstream.SetReply(t, b.id, reply)
	}
	calls := exampleCalls(all)
	for i, c := range calls {
		calls[i].id = c.example.ask(t, w, c.client, c.form)
	}
	w.checkBills(t, calls)
	w.checkReceipts(t, calls)
	t.Logf("%d examples, %d calls", len(all), len(calls))
	t.Run("openai-node", func(t *testing.T) {
		w.checkBills(t, append(w.askWithNode(t, exampleCalls(all)), calls...))
	})
}

// askWithNode makes the calls with openai-node, all in one process, and returns them with their request ids.
func (w *testbed) askWithNode(t *testing.T, calls []exampleCall) []exampleCall {
	t.Helper()
	needNode(t)
	npmInstall(t, "node")
	asks := make([]members, len(calls))
	for i, c := range calls {
		b := c.example
		asks[i] = members{"id": b.id, "name": b.Name, "token": b.token(), "client": c.client, "form": c.form,
			"ask": b.Ask, "fails": b.Ends == "cut" || b.Ends == "failed"}
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "calls.json"), filepath.Join(dir, "ids.json")
	if err := os.WriteFile(in, encoded(t, asks), 0o600); err != nil {
		t.Fatal(err)
	}
	node(t, []string{"TOLLGATE_URL=" + w.Relay.URL}, "bills.mjs", in, out)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	if err := json.Unmarshal(text, &ids); err != nil || len(ids) != len(calls) {
		t.Fatalf("got %d request ids, %v, want %d", len(ids), err, len(calls))
	}
	for i := range calls {
		calls[i].id = ids[i]
	}
	return calls
}

// checkBills compares the usage logs of all calls so far with the examples, and has every bill recomputed.
func (w *testbed) checkBills(t *testing.T, calls []exampleCall) {
	t.Helper()
	story.Eventually(t, story.Patience, "all calls are in the usage log", func() bool {
		return w.query(t, `SELECT count(*) FROM usage_logs`) == int64(len(calls))
	})
	logs := w.exampleLogs(t)
	var total int64
	for _, c := range calls {
		b := c.example
		cost := nanoUSD(t, b.Cost)
		total += cost
		got, want := logs[c.id], members(b.Log).with(nil)
		if cost > 0 {
			want["cost"], want["quota"] = cost, cost
		}
		if b.Estimated {
			want["estimated"] = true
		}
		if fmt.Sprint(got) != fmt.Sprint(map[string]any(want)) {
			t.Errorf("%s (%s), client %s, %s: got the usage log %v, want %v", b.id, b.Name, c.client, c.form, got, want)
		}
	}
	said, err := w.Command(story.Context(t), "console", "verify")
	if want := fmt.Sprintf("recomputed %d charges of %s USD in total, 0 are wrong", len(calls), usd(total)); err !=
		nil || !strings.Contains(said, want) {
		t.Errorf("console verify: got %v\n%s\nwant %q", err, said, want)
	}
}

// checkReceipts compares the total of one receipt of each example with its cost.
func (w *testbed) checkReceipts(t *testing.T, calls []exampleCall) {
	t.Helper()
	owners := map[string]*story.Console{}
	for _, c := range calls {
		b := c.example
		if c.form != b.forms()[0] || c.client != b.clients()[0] {
			continue
		}
		slug := "g" + strings.ReplaceAll(cmp.Or(b.Group, "1"), ".", "-")
		if owners[slug] == nil {
			owners[slug] = w.signIn(t, "owner@"+slug+".example")
		}
		if receipt := owners[slug].AwaitLog(t, c.id).Receipt; receipt == nil ||
			nanoUSD(t, receipt.Total) != nanoUSD(t, b.Cost) {
			t.Errorf("%s (%s): got the receipt %+v, want the total %s", b.id, b.Name, receipt, b.Cost)
		}
	}
}

// exampleCounts are the counts of the examples, and their columns.
var exampleCounts = map[string]string{
	"input": "input_tokens", "cached_input": "cached_input_tokens", "cache_write": "cache_write_tokens",
	"cache_write_1h": "cache_write_1h_tokens",
	"audio_input":    "audio_input_tokens", "image_input": "image_input_tokens", "output": "output_tokens",
	"reasoning":    "reasoning_tokens",
	"audio_output": "audio_output_tokens", "image_output": "image_output_tokens",
	"web_search_calls": "web_search_calls", "file_search_calls": "file_search_calls",
	"code_interpreter_sessions": "code_interpreter_sessions", "image_generation_input": "image_generation_input_tokens",
	"image_generation_image_input": "image_generation_image_input_tokens",
	"image_generation_output":      "image_generation_output_tokens", "cost": "cost", "quota": "quota",
}

// exampleLogs returns the usage logs by request id: the counts that are not 0, the service tier unless it is the
// ordinary one, and whether the counts are estimated.
func (w *testbed) exampleLogs(t *testing.T) map[string]map[string]any {
	t.Helper()
	ctx := story.Context(t)
	conn, err := pgx.Connect(ctx, w.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx) //nolint:errcheck // a failure affects no other connection
	names := slices.Sorted(maps.Keys(exampleCounts))
	columns := make([]string, len(names))
	for i, name := range names {
		columns[i] = "coalesce(" + exampleCounts[name] + ", 0)"
	}
	found, err := conn.Query(ctx, "SELECT id::text, coalesce(service_tier, ''), estimated, "+
		strings.Join(columns, ", ")+" FROM usage_logs")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]any{}
	for found.Next() {
		var id, tier string
		var estimated bool
		counts := make([]int64, len(names))
		into := []any{&id, &tier, &estimated}
		for i := range counts {
			into = append(into, &counts[i])
		}
		if err := found.Scan(into...); err != nil {
			t.Fatal(err)
		}
		log := map[string]any{}
		for i, n := range counts {
			if n != 0 {
				log[names[i]] = n
			}
		}
		if tier != "" {
			log["service_tier"] = tier
		}
		if estimated {
			log["estimated"] = true
		}
		all[id] = log
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestBills_ArithmeticGivesTheCost computes the arithmetic of each example exactly, without the program, and rounds it
// half up.
func TestBills_ArithmeticGivesTheCost(t *testing.T) {
	all := workedExamples(t)
	if len(all) < 100 {
		t.Errorf("%d examples, want at least 100", len(all))
	}
	for _, b := range all {
		expression, err := parser.ParseExpr(strings.ReplaceAll(b.Work, " x ", " * "))
		if err != nil {
			t.Errorf("%s: %v", b.id, err)
			continue
		}
		if got, want := nanoOf(exactly(t, expression)), nanoUSD(t, b.Cost); got != want {
			t.Errorf("%s: %s is %d nano-dollars, the example has %d", b.id, b.Work, got, want)
		}
		if b.Source == "" || b.Read == "" || b.Name == "" || b.Model == "" {
			t.Errorf("%s: needs a name, a model, a source and the day on which it was read", b.id)
		}
	}
}

// exactly computes an expression of decimal numbers, sums, products and quotients.
func exactly(t *testing.T, e ast.Expr) *big.Rat {
	t.Helper()
	switch e := e.(type) {
	case *ast.BasicLit:
		return decimal(t, e.Value)
	case *ast.ParenExpr:
		return exactly(t, e.X)
	case *ast.BinaryExpr:
		left, right := exactly(t, e.X), exactly(t, e.Y)
		switch e.Op {
		case token.ADD:
			return left.Add(left, right)
		case token.MUL:
			return left.Mul(left, right)
		case token.QUO:
			return left.Quo(left, right)
		}
	}
	t.Fatalf("not a sum, product or quotient: %v", e)
	return nil
}

func decimal(t *testing.T, text string) *big.Rat {
	t.Helper()
	value, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("not a decimal number: %q", text)
	}
	return value
}

// nanoOf returns an amount in USD as nano-dollars, rounded half up.
func nanoOf(amount *big.Rat) int64 {
	nano := new(big.Rat).Mul(amount, big.NewRat(1_000_000_000, 1))
	nano.Add(nano, big.NewRat(1, 2))
	return new(big.Int).Div(nano.Num(), nano.Denom()).Int64()
}

// nanoUSD returns a decimal amount in USD as nano-dollars.
func nanoUSD(t *testing.T, text string) int64 {
	t.Helper()
	return nanoOf(decimal(t, text))
}
