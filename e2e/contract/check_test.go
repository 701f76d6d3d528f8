package contract

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// small is a document with one operation.
const small = `
openapi: 3.1.0
paths:
  /v1/things/{id}:
    post:
      parameters:
        - {in: query, name: limit, schema: {type: integer}}
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: '#/components/schemas/Message'}}}
      responses:
        "200":
          headers:
            x-request-id: {schema: {type: string}}
          content:
            application/json: {schema: {type: object, additionalProperties: true, required: [id],
                properties: {id: {type: string}}}}
            text/event-stream: {schema: {$ref: '#/components/schemas/Part'}}
        "400":
          content:
            application/json: {schema: {type: object, required: [error]}}
components:
  schemas:
    Message:
      type: object
      required: [content]
      properties:
        content: {type: array, items: {$ref: '#/components/schemas/Part'}}
        size: {type: string, x-extensible-enum: [small]}
        tone: {type: string}
    Part:
      oneOf:
        - {$ref: '#/components/schemas/Text'}
        - {$ref: '#/components/schemas/Image'}
        - {$ref: '#/components/schemas/OtherPart'}
    Text: {type: object, additionalProperties: true, required: [type, text],
      properties: {type: {enum: [text]}, text: {type: string}}}
    Image: {type: object, additionalProperties: true, required: [type, url],
      properties: {type: {enum: [image]}, url: {type: string}}}
    OtherPart: {type: object, additionalProperties: true, required: [type],
      properties: {type: {type: string, not: {enum: [text, image]}}}}
`

func parse(t *testing.T) *Document {
	t.Helper()
	var d Document
	if err := yaml.Unmarshal([]byte(small), &d.root); err != nil {
		t.Fatal(err)
	}
	return &d
}

// good returns an exchange that agrees with the small document.
func good() *Exchange {
	return &Exchange{
		Method: "POST", URL: &url.URL{Path: "/v1/things/7", RawQuery: "limit=3"},
		Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}},
		Body:   []byte(`{"content":[{"type":"text","text":"a"},{"type":"image","url":"b"},{"type":"sound"}]}`),
		Whole:  true,
		Status: 200, AnswerHeader: http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"a"},
			"Date": {"today"}},
		Answer: []byte(`{"id":"a"}`), AnswerWhole: true,
	}
}

// stream gives the exchange an event stream as its answer.
func stream(x *Exchange, text string) {
	x.AnswerHeader.Set("Content-Type", "text/event-stream")
	x.Answer = []byte(text)
}

// TestDocument_DescribesPlacesThatDiffer checks the relay's document with traffic in which an upstream or a client
// differs from the usual form.
func TestDocument_DescribesPlacesThatDiffer(t *testing.T) {
	t.Parallel()
	const chat, response = "/v1/chat/completions", "/v1/responses"
	document, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct{ path, request, event string }{
		"the first chunk of Azure": {chat, `{"model":"m","messages":[]}`,
			`{"id":"","object":"","created":0,"model":"","choices":[]}`},
		"the last chunk of audio": {chat, `{"model":"m","messages":[]}`,
			`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"audio":{"expires_at":1}}}]}`},
		"a reference by its id": {response, `{"model":"m","input":[{"id":"msg_1"}]}`,
			`{"type":"keepalive"}`},
		"a message with an id and no type": {response,
			`{"model":"m","input":[{"id":"msg_1","role":"user","content":"Hello"}]}`, `{"type":"keepalive"}`},
		"a choice of any MCP server": {response, `{"model":"m","input":"Hello","tool_choice":{"type":"mcp"}}`,
			`{"type":"keepalive"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := document.Checker()
			if err != nil {
				t.Fatal(err)
			}
			c.Submit(&Exchange{
				Method: http.MethodPost, URL: &url.URL{Path: row.path},
				Header: http.Header{"Content-Type": {"application/json"}},
				Body:   []byte(row.request), Whole: true, Status: http.StatusOK,
				AnswerHeader: http.Header{"Content-Type": {"text/event-stream"}},
				Answer:       []byte("data: " + row.event + "\n\n"), AnswerWhole: true,
			})
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestChecker_FindsDifferences(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change func(*Exchange)
		want   string // part of the report; "" if there is no difference
	}{
		"none":                  {func(*Exchange) {}, ""},
		"unknown path, refused": {func(x *Exchange) { x.URL.Path, x.Status = "/v1/others", 404 }, ""},
		"unknown path, served": {func(x *Exchange) { x.URL.Path = "/v1/others" },
			"POST /v1/others (200): the operation is not documented"},
		"no path of the API": {func(x *Exchange) { x.URL.Path = "/healthz" }, ""},
		"unknown method": {func(x *Exchange) { x.Method = "PUT" },
			"PUT /v1/things/7 (200): the operation is not documented"},
		"unknown status": {func(x *Exchange) { x.Status = 418 },
			"(418): the status is not documented"},
		"unknown query parameter": {func(x *Exchange) { x.URL.RawQuery = "after=x" },
			"the query parameter after is not documented"},
		"query parameter of another type": {func(x *Exchange) { x.URL.RawQuery = "limit=x" },
			"query parameter limit at : got string, want integer"},
		"unknown x-tollgate header": {func(x *Exchange) { x.Header.Set("x-tollgate-new", "1") },
			"the request header X-Tollgate-New is not documented"},
		"content type of the request": {func(x *Exchange) { x.Header.Set("Content-Type", "text/plain") },
			`the request's content type "text/plain" is not documented`},
		"request without a required field": {func(x *Exchange) { x.Body = []byte(`{}`) },
			"request at : missing property 'content' (Message)"},
		"field of a variant": {func(x *Exchange) {
			x.Body = []byte(`{"content":[{"type":"text","text":1}]}`)
		}, "request at /content/*/text: got number, want string (Text"},
		"unknown field": {func(x *Exchange) {
			x.Body = []byte(`{"content":[{"type":"text","text":"a","tone":"b"}]}`)
		}, "request at /content/*: additional properties 'tone' not allowed (Text)"},
		"unknown field of another type": {func(x *Exchange) {
			x.Body = []byte(`{"content":[{"type":"sound","tone":"b"}]}`)
		}, ""},
		"unknown field of the answer": {func(x *Exchange) { x.Answer = []byte(`{"id":"a","size":1}`) },
			"answer with 200 at : additional properties 'size' not allowed"},
		"broken request": {func(x *Exchange) { x.Body, x.Whole = []byte(`{"con`), false }, ""},
		"refused request": {func(x *Exchange) {
			x.Body, x.Status, x.Answer = []byte(`{}`), 400, []byte(`{"error":{}}`)
			x.AnswerHeader.Del("X-Request-Id")
		}, ""},
		"unknown header": {func(x *Exchange) { x.AnswerHeader.Set("x-new", "1") },
			"the header X-New of the answer with 200 is not documented"},
		"content type of the answer": {func(x *Exchange) { x.AnswerHeader.Set("Content-Type", "text/html") },
			`the content type "text/html" of the answer with 200 is not documented`},
		"answer": {func(x *Exchange) { x.Answer = []byte(`{"id":null}`) },
			"answer with 200 at /id: got null, want string"},
		"answer with broken JSON": {func(x *Exchange) { x.Answer = []byte(`{"id"`) }, "no JSON"},
		"answer broken off":       {func(x *Exchange) { x.Answer, x.AnswerWhole = []byte(`{"id"`), false }, ""},
		"stream": {func(x *Exchange) {
			stream(x, ": wait\n\nevent: text\ndata: {\"type\":\"text\",\"text\":\"a\"}\n\ndata: [DONE]\n\n")
		}, ""},
		"event": {func(x *Exchange) { stream(x, "data: {\"type\":\"image\"}\n\n") },
			"event at : missing property 'url' (Image)"},
		"event without a type": {func(x *Exchange) { stream(x, "data: {\"error\":{}}\n\n") }, "event at "},
		"stream broken off": {func(x *Exchange) {
			stream(x, "data: {\"type\":\"text\",\"text\":\"a\"}\r\n\r\ndata: {\"ty")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := parse(t).Checker()
			if err != nil {
				t.Fatal(err)
			}
			x := good()
			row.change(x)
			defer c.During("TestName")()
			c.Submit(x)
			err = c.Close()
			if row.want == "" && err != nil {
				t.Error(err)
			}
			if row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want) ||
				!strings.Contains(err.Error(), "TestName")) {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
}
