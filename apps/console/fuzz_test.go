package console_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// fuzzRequests is the number of requests that TestFuzz_FindsNoInternalError sends.
const fuzzRequests = 2000

// fuzzPart is the number of requests that one stack serves. They disable users and delete what they find, so each part
// of the requests begins with a new company.
const fuzzPart = 100

// The test sends requests that are valid by the OpenAPI document, and requests with a few invalid parts, as callers of
// every kind. None may cause an internal error or a response that the document does not have. CONSOLE_FUZZ_SEED repeats
// a run with other requests, CONSOLE_FUZZ_REQUESTS changes their number, CONSOLE_FUZZ_DATABASE=postgres the database.
func TestFuzz_FindsNoInternalError(t *testing.T) {
	t.Parallel()
	seed, requests := fromEnvironment(t, "CONSOLE_FUZZ_SEED", 1),
		fromEnvironment(t, "CONSOLE_FUZZ_REQUESTS", fuzzRequests)
	t.Logf("CONSOLE_FUZZ_SEED=%d CONSOLE_FUZZ_REQUESTS=%d", seed, requests)
	for part := range (requests + fuzzPart - 1) / fuzzPart {
		t.Run(strconv.FormatUint(part, 10), func(t *testing.T) {
			t.Parallel()
			f := newFuzzer(t, seed<<32|part)
			for range min(fuzzPart, requests-part*fuzzPart) {
				f.send()
			}
			if !t.Failed() {
				return
			}
			t.Logf("repeat it with CONSOLE_FUZZ_SEED=%d go test -run '%s' ./apps/console", seed, t.Name())
		})
	}
}

// fromEnvironment returns the number in the variable, or the default.
func fromEnvironment(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text, ok := os.LookupEnv(name)
	if !ok {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// fuzzer sends random requests to one stack.
type fuzzer struct {
	s          *consoletest.Stack
	g          *sampler
	operations []operation
	paths      map[string]string // by the id of the operation, with ids of the company acme
	callers    []*consoletest.Client
}

// operation is an operation of the document.
type operation struct {
	id, method, path string // path as in the document
	schema           map[string]any
}

// newFuzzer returns a fuzzer on a new stack. The seed decides all its requests, except for ids and times.
func newFuzzer(t *testing.T, seed uint64) *fuzzer {
	t.Helper()
	kind := cmp.Or(os.Getenv("CONSOLE_FUZZ_DATABASE"), "sqlite")
	database, ok := storetest.Kinds()[kind]
	if !ok {
		t.Fatalf("CONSOLE_FUZZ_DATABASE is %q, want sqlite or postgres", kind)
	}
	s := consoletest.SetupOn(t, database(t))
	// Calls of the channel must not leave the machine.
	storetest.Exec(t, s.Database, "UPDATE channels SET base_url = 'http://127.0.0.1:1/v1'")
	fields := fieldsOf(s, &s.Acme, "")
	fields["base_url"] = "http://127.0.0.1:1/v1"
	f := &fuzzer{s: s, g: newSampler(t, seed, fields), paths: map[string]string{}}
	f.g.sparse = true
	operations(t, func(path, method string, op map[string]any) {
		made := operation{id: consoletest.Text(t, op, "operationId"), method: method, path: path, schema: op}
		f.operations = append(f.operations, made)
		f.paths[made.id] = pathOf(s, &s.Acme, path)
	})
	slices.SortFunc(f.operations, func(a, b operation) int { return strings.Compare(a.id, b.id) })
	for _, who := range []tenant.User{s.Operator, s.Acme.Owner, s.Acme.Admin, s.Acme.Member} {
		_, key := s.AccessKey(who)
		f.callers = append(f.callers, s.As(who), &consoletest.Client{Stack: s, Key: key})
	}
	// Operators pass most checks, and so reach most code.
	f.callers = append(f.callers, s.As(s.Operator), s.As(s.Operator), s.Anonymous())
	return f
}

// send sends one request as one of the callers.
func (f *fuzzer) send() {
	f.s.Helper()
	op := f.operations[f.g.rng.IntN(len(f.operations))]
	q := request{id: op.id, method: op.method, path: f.pathOf(op),
		documented: consoletest.As[map[string]any](f.s, op.schema["responses"])}
	if body := f.g.body(op.schema); body != nil {
		q.body = f.damaged(body)
	}
	if query := f.query(op); query != "" {
		q.path += "?" + query
	}
	sendDocumented(f.callers[f.g.rng.IntN(len(f.callers))], q)
}

// pathOf returns the path of the operation, mostly with the id of a resource.
func (f *fuzzer) pathOf(op operation) string {
	before, after, ok := strings.Cut(op.path, "{")
	if !ok || f.g.rng.IntN(8) > 0 {
		return f.paths[op.id]
	}
	_, after, _ = strings.Cut(after, "}")
	return before + malformed[f.g.rng.IntN(len(malformed))] + after
}

// damaged returns the body with up to two changes, or a text that is not a body of any operation.
func (f *fuzzer) damaged(body any) any {
	if f.g.rng.IntN(20) == 0 {
		return bodies[f.g.rng.IntN(len(bodies))]
	}
	for range f.g.rng.IntN(3) {
		body = f.mutate(body)
	}
	raw, err := json.Marshal(body)
	f.s.Must(err)
	return string(raw)
}

// mutate returns the value with one change somewhere in it.
func (f *fuzzer) mutate(value any) any {
	unusual := values[f.g.rng.IntN(len(values))]
	switch value := value.(type) {
	case map[string]any:
		changed := maps.Clone(value)
		names := slices.Sorted(maps.Keys(value))
		if len(names) == 0 || f.g.rng.IntN(10) == 0 {
			changed["no_such_field"] = unusual
			return changed
		}
		name := names[f.g.rng.IntN(len(names))]
		switch f.g.rng.IntN(8) {
		case 0:
			delete(changed, name)
		case 1: // a second spelling of the name
			changed[strings.ToUpper(name)] = unusual
		default:
			changed[name] = f.mutate(value[name])
		}
		return changed
	case []any:
		if len(value) == 0 || f.g.rng.IntN(3) == 0 {
			return slices.Repeat([]any{unusual}, f.g.rng.IntN(2000))
		}
		changed := slices.Clone(value)
		at := f.g.rng.IntN(len(value))
		changed[at] = f.mutate(value[at])
		return changed
	}
	return unusual
}

// query returns some parameters of the operation, with values that fit or with garbage.
func (f *fuzzer) query(op operation) string {
	parameters, _ := op.schema["parameters"].([]any)
	var all []string
	for _, parameter := range parameters {
		if consoletest.At(f.s, parameter, "in") != "query" || f.g.rng.IntN(3) > 0 {
			continue
		}
		name := consoletest.Text(f.s, parameter, "name")
		value := garbage[f.g.rng.IntN(len(garbage))]
		if f.g.rng.IntN(3) > 0 {
			value = url.QueryEscape(fmt.Sprint(f.g.value(name, consoletest.At(f.s, parameter, "schema"), 0)))
		}
		all = append(all, url.QueryEscape(name)+"="+value)
	}
	return strings.Join(all, "&")
}
