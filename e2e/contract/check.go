package contract

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Exchange is a request and its answer.
type Exchange struct {
	Method string
	URL    *url.URL
	Header http.Header
	Body   []byte
	Whole  bool // the request's body arrived to its end

	Status       int
	AnswerHeader http.Header
	Answer       []byte // nil if it was too large
	AnswerWhole  bool   // the answer arrived to its end

	during string // tests that ran
}

// Checker compares exchanges with the document, one after the other in a goroutine of its own. It is safe for
// concurrent use.
type Checker struct {
	paths    []pathItem
	root     object
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema // by address
	queue    chan *Exchange
	done     chan struct{}

	mu          sync.Mutex
	closed      bool
	running     map[string]int // tests
	exchanges   int
	values      int // bodies and events
	skipped     map[string]int
	differences map[string]*difference
}

// difference is a violation of one rule of the document at one place, however often it occurs.
type difference struct {
	text, during string
	count        int
}

// pathItem is a path of the document.
type pathItem struct {
	template string
	matches  *regexp.Regexp
}

// clientClosed is the status of the relay's answer to a client that has gone.
const clientClosed = 499

const (
	location = "https://document/relay.json"
	closed   = "https://document/closed.json" // the same document, whose objects have no other fields than it names
)

// Checker returns a checker for the document. Close ends it.
func (d *Document) Checker() (*Checker, error) {
	text, err := json.Marshal(d.root)
	if err != nil {
		return nil, fmt.Errorf("write the document as JSON: %w", err)
	}
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read the document as JSON: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource(location, root); err != nil {
		return nil, fmt.Errorf("add the document: %w", err)
	}
	if err := compiler.AddResource(closed, closeObjects(root)); err != nil {
		return nil, fmt.Errorf("add the closed document: %w", err)
	}
	c := &Checker{
		root: d.root, compiler: compiler, schemas: map[string]*jsonschema.Schema{}, queue: make(chan *Exchange, 512),
		done:    make(chan struct{}),
		running: map[string]int{}, skipped: map[string]int{}, differences: map[string]*difference{},
	}
	paths, _ := d.root["paths"].(object)
	// A fixed path sorts before one with a parameter in its place.
	for _, template := range slices.Sorted(maps.Keys(paths)) {
		pattern := regexp.MustCompile(`\\\{[^}]*\\\}`).ReplaceAllString(regexp.QuoteMeta(template), "[^/]+")
		c.paths = append(c.paths, pathItem{template: template, matches: regexp.MustCompile("^" + pattern + "$")})
	}
	go c.work()
	return c, nil
}

// During says that a test runs, until the function is called that it returns. Differences name the tests that ran.
func (c *Checker) During(test string) (end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running[test]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.running[test]--; c.running[test] == 0 {
			delete(c.running, test)
		}
	}
}

// Submit queues an exchange. If too many wait, it is skipped.
func (c *Checker) Submit(x *Exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x.during = strings.Join(slices.Sorted(maps.Keys(c.running)), ", ")
	if c.closed {
		return
	}
	select {
	case c.queue <- x:
	default:
		c.skipped["exchanges beyond the bound"]++
	}
}

// count counts what is checked.
func (c *Checker) count(exchanges, values int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.exchanges, c.values = c.exchanges+exchanges, c.values+values
}

// skip counts something that is not checked.
func (c *Checker) skip(part string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.skipped[part]++
}

func (c *Checker) work() {
	defer close(c.done)
	for x := range c.queue {
		c.Check(x)
	}
}

// Close waits until all exchanges are checked and returns the differences as an error.
func (c *Checker) Close() error {
	c.mu.Lock()
	if !c.closed {
		close(c.queue)
	}
	c.closed = true
	c.mu.Unlock()
	<-c.done
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(c.differences)) {
		d := c.differences[key]
		fmt.Fprintf(&text, "\n%s\n    %d times, first during %s", d.text, d.count, cmp.Or(d.during, "no test"))
	}
	if text.Len() > 0 {
		return errors.New("traffic differs from openapi/relay.yaml; add what is missing there, or an exemption in " +
			"e2e/contract:" + text.String())
	}
	return nil
}

// Summary says how much was checked.
func (c *Checker) Summary() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf("%d exchanges checked against openapi/relay.yaml with %d bodies and events; not checked: %v",
		c.exchanges, c.values, c.skipped)
}

// finding is the place of a difference: an operation and a part of it.
type finding struct {
	x         *Exchange
	operation string
}

// add records a difference. subject names its part, place and cause: differences with the same subject are one.
func (c *Checker) add(f finding, subject, value string) {
	if exempt(f, subject, value) {
		c.skip("exempted differences")
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := f.operation + " " + subject
	d := c.differences[key]
	if d == nil {
		if len(value) > 300 {
			value = value[:300] + " ..."
		}
		d = &difference{text: fmt.Sprintf("%s (%d): %s\n    %s", f.operation, f.x.Status, subject, value),
			during: f.x.during}
		c.differences[key] = d
	}
	d.count++
}

// Check compares one exchange with the document. It must not be called concurrently.
func (c *Checker) Check(x *Exchange) {
	if x.Method == http.MethodOptions || x.Method == http.MethodHead || !strings.HasPrefix(x.URL.Path, "/v1/") {
		return // no operation of the API
	}
	if x.Status == clientClosed {
		return // no client gets it
	}
	c.count(1, 0)
	template, operation := c.operation(x)
	f := finding{x: x, operation: x.Method + " " + cmp.Or(template, x.URL.Path)}
	if operation == nil {
		if x.Status != http.StatusNotFound && x.Status != http.StatusMethodNotAllowed {
			c.add(f, "the operation is not documented", "")
		}
		return
	}
	pointer := "/paths/" + escape(template) + "/" + strings.ToLower(x.Method)
	if x.Status < 300 {
		c.request(f, operation, pointer)
	}
	status := strconv.Itoa(x.Status)
	answer := at(operation, "responses", status)
	if answer == nil {
		status, answer = "default", at(operation, "responses", "default")
	}
	if answer == nil {
		c.add(f, "the status is not documented", string(x.Answer))
		return
	}
	pointer += "/responses/" + status
	c.headers(f, answer, pointer)
	c.answer(f, answer, pointer)
}

// operation returns the path and the operation of an exchange, or nil.
func (c *Checker) operation(x *Exchange) (string, any) {
	for _, p := range c.paths {
		if p.matches.MatchString(x.URL.EscapedPath()) {
			if operation := at(c.root, "paths", p.template, strings.ToLower(x.Method)); operation != nil {
				return p.template, operation
			}
		}
	}
	return "", nil
}

// request checks parameters, content type and body of a request that had success.
func (c *Checker) request(f finding, operation any, pointer string) {
	c.parameters(f, operation, pointer)
	content, _ := at(operation, "requestBody", "content").(object)
	if content == nil || !f.x.Whole || f.x.Body == nil {
		return
	}
	if len(f.x.Body) == 0 && at(operation, "requestBody", "required") != true {
		return
	}
	kind := mediaType(f.x.Header)
	if content[kind] == nil {
		c.add(f, fmt.Sprintf("the request's content type %q is not documented", kind), "")
		return
	}
	c.validate(f, "request", pointer+"/requestBody/content/"+escape(kind)+"/schema", f.x.Body)
}

// parameters checks the query parameters, and the headers of the relay's own.
func (c *Checker) parameters(f finding, operation any, pointer string) {
	names := map[string]bool{}
	list, _ := at(operation, "parameters").([]any)
	query := f.x.URL.Query()
	for i, parameter := range list {
		place, name := fmt.Sprint(at(parameter, "in")), fmt.Sprint(at(parameter, "name"))
		values := query[name]
		if place == "header" {
			name = http.CanonicalHeaderKey(name)
			values = f.x.Header[name]
		}
		names[place+" "+name] = true
		if place == "path" {
			continue
		}
		if len(values) == 0 && at(parameter, "required") == true {
			c.add(f, fmt.Sprintf("the required %s parameter %s is absent", place, name), "")
		}
		c.texts(f, fmt.Sprintf("%s parameter %s", place, name), fmt.Sprintf("%s/parameters/%d/schema", pointer, i),
			values)
	}
	for name := range query {
		if !names["query "+strings.TrimSuffix(name, "[]")] && !names["query "+name] {
			c.add(f, fmt.Sprintf("the query parameter %s is not documented", name), query.Encode())
		}
	}
	for name := range f.x.Header {
		if strings.HasPrefix(name, "X-Tollgate-") && !names["header "+name] {
			c.add(f, fmt.Sprintf("the request header %s is not documented", name), f.x.Header.Get(name))
		}
	}
}

// texts checks values that arrive as text: each as the JSON value that it spells, or as a string, or all as a list.
func (c *Checker) texts(f finding, part, pointer string, values []string) {
	if len(values) == 0 {
		return
	}
	schema, err := c.schema(location + "#" + pointer)
	if err != nil {
		c.add(f, part+": "+err.Error(), "")
		return
	}
	var list []any
	for _, value := range values {
		list = append(list, value)
		if schema.Validate(value) == nil {
			return
		}
		if element, err := jsonschema.UnmarshalJSON(strings.NewReader(value)); err == nil &&
			schema.Validate(element) == nil {
			return
		}
	}
	if schema.Validate(list) != nil {
		c.report(f, part, schema.Validate(list[0]), list[0])
	}
}

// transport are headers of answers that belong to HTTP and not to the API.
var transport = []string{
	"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Cache-Control", "Connection", "Content-Length",
	"Content-Type", "Date",
	"Keep-Alive", "Transfer-Encoding", "Vary", "Www-Authenticate", "X-Accel-Buffering", "X-Content-Type-Options",
}

// headers checks that each header of an answer is documented.
func (c *Checker) headers(f finding, answer any, pointer string) {
	headers, _ := at(answer, "headers").(object)
	names := map[string]string{}
	for name := range headers {
		names[http.CanonicalHeaderKey(name)] = name
	}
	for name, values := range f.x.AnswerHeader {
		if slices.Contains(transport, name) {
			continue
		}
		if names[name] == "" {
			c.add(f, fmt.Sprintf("the header %s of the answer with %d is not documented", name, f.x.Status), values[0])
			continue
		}
		c.texts(f, "header "+name, pointer+"/headers/"+escape(names[name])+"/schema", values)
	}
}

// answer checks content type and body of an answer, as far as it came.
func (c *Checker) answer(f finding, answer any, pointer string) {
	x := f.x
	content, _ := at(answer, "content").(object)
	kind := mediaType(x.AnswerHeader)
	switch {
	case x.Answer == nil:
		c.skip("large answers")
	case len(x.Answer) == 0:
		if x.AnswerWhole && content != nil && x.Status != http.StatusNotModified {
			c.add(f, "the answer has no body", "")
		}
	case content[kind] == nil:
		c.add(f, fmt.Sprintf("the content type %q of the answer with %d is not documented", kind, x.Status),
			string(x.Answer))
	case x.AnswerHeader.Get("Content-Encoding") != "":
		c.skip("compressed answers")
	case kind == "text/event-stream":
		for _, data := range events(x.Answer) {
			c.validate(f, "event", pointer+"/content/"+escape(kind)+"/schema", data)
		}
	case strings.HasSuffix(kind, "json") && x.AnswerWhole:
		c.validate(f, fmt.Sprintf("answer with %d", x.Status), pointer+"/content/"+escape(kind)+"/schema", x.Answer)
	}
}

// events returns the data of the complete events of a stream, without [DONE].
func events(stream []byte) (list [][]byte) {
	var data [][]byte
	for line := range bytes.Lines(stream) {
		isWhole := bytes.HasSuffix(line, []byte("\n"))
		line = bytes.TrimRight(line, "\r\n")
		if text, ok := bytes.CutPrefix(line, []byte("data:")); ok && isWhole {
			data = append(data, bytes.TrimPrefix(text, []byte(" ")))
		}
		if len(line) == 0 && isWhole && len(data) > 0 {
			if event := bytes.Join(data, []byte("\n")); string(event) != "[DONE]" {
				list = append(list, event)
			}
			data = nil
		}
	}
	return list
}

// validate checks a JSON text with the schema at a pointer.
func (c *Checker) validate(f finding, part, pointer string, text []byte) {
	c.count(0, 1)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		c.add(f, part+": no JSON: "+err.Error(), string(text))
		return
	}
	for _, document := range []string{location, closed} {
		schema, err := c.schema(document + "#" + pointer)
		if err != nil {
			c.add(f, part+": "+err.Error(), "")
			return
		}
		if err := schema.Validate(value); err != nil {
			c.report(f, part, err, value)
			return
		}
	}
}

// closeObjects returns a copy of a document in which objects have no other fields than the document names. Variants of
// unions that stand for all types that the document does not name stay open.
func closeObjects(value any) any {
	switch value := value.(type) {
	case []any:
		list := make([]any, len(value))
		for i, element := range value {
			list[i] = closeObjects(element)
		}
		return list
	case object:
		o := make(object, len(value))
		for key, element := range value {
			o[key] = closeObjects(element)
		}
		if o["properties"] != nil && o["additionalProperties"] == true && at(o, "properties", "type", "not") == nil {
			o["additionalProperties"] = false
		}
		return o
	default:
		return value
	}
}

// schema returns the compiled schema at an address: a document, and a JSON pointer as its fragment.
func (c *Checker) schema(address string) (*jsonschema.Schema, error) {
	if schema := c.schemas[address]; schema != nil {
		return schema, nil
	}
	schema, err := c.compiler.Compile(address)
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", address, err)
	}
	c.schemas[address] = schema
	return schema, nil
}

// mediaType returns the content type of a header without parameters.
func mediaType(header http.Header) string {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return header.Get("Content-Type")
	}
	return kind
}

// escape returns a key for a JSON pointer in a URL fragment.
func escape(key string) string {
	return url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(key))
}
