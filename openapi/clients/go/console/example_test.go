package console_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/tollgate/tollgate/openapi/clients/go/console"
)

// answer starts a console that answers every request with the status and with the text that body returns. The
// examples use it in place of a real console, whose URL and access key a program reads from its
// configuration.
func answer(status int, contentType string, body func(*http.Request) string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body(r))
	}))
}

// The value of a token is shown once, when it is created.
func ExampleNew() {
	server := answer(http.StatusCreated, "application/json", func(*http.Request) string {
		return `{"id":"019a0000-0000-7000-8000-000000000001","name":"nightly report","mask":"sk-tg-0abc","value":"sk-tg-0abc..."}`
	})
	defer server.Close()

	client, err := console.New(server.URL, "tgk-...")
	if err != nil {
		fmt.Println(err)
		return
	}
	quota := "5"
	result, err := client.CreateToken(context.Background(), console.NewToken{Name: "nightly report", Quota: &quota})
	switch {
	case err != nil:
		fmt.Println(err)
	case result.JSON201 != nil:
		fmt.Println(result.JSON201.Value)
	case result.ApplicationproblemJSON409 != nil:
		fmt.Println("the name is taken:", result.ApplicationproblemJSON409.Detail)
	default:
		fmt.Println(result.Status(), string(result.Body))
	}
	// Output: sk-tg-0abc...
}

// A list comes in pages. The field Next of a page is the parameter After of the following one. It is empty on
// the last page.
func ExampleClient_ListUsageLogs() {
	server := answer(http.StatusOK, "application/json", func(r *http.Request) string {
		if r.URL.Query().Get("after") == "" {
			return `{"items":[{"id":"019a0000-0000-7000-8000-000000000002","model":"gpt-4o","quota":"0.0021"}],"next":"page-2"}`
		}
		return `{"items":[{"id":"019a0000-0000-7000-8000-000000000001","model":"gpt-4o-mini","quota":"0.0003"}],"next":""}`
	})
	defer server.Close()

	client, err := console.New(server.URL, "tgk-...")
	if err != nil {
		fmt.Println(err)
		return
	}
	params := &console.ListUsageLogsParams{}
	for {
		page, err := client.ListUsageLogs(context.Background(), params)
		if err != nil || page.JSON200 == nil {
			fmt.Println("list usage logs:", err)
			return
		}
		for _, log := range page.JSON200.Items {
			fmt.Println(log.Model, log.Quota)
		}
		if page.JSON200.Next == "" {
			return
		}
		params.After = &page.JSON200.Next
	}
	// Output:
	// gpt-4o 0.0021
	// gpt-4o-mini 0.0003
}

// An error is an RFC 9457 problem. Its code is stable, its detail is text for people.
func ExampleError() {
	server := answer(http.StatusForbidden, "application/problem+json", func(*http.Request) string {
		return `{"type":"about:blank","title":"Forbidden","status":403,"code":"forbidden","detail":"Your role does not permit this."}`
	})
	defer server.Close()

	client, err := console.New(server.URL, "tgk-...")
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := client.ListTenants(context.Background(), nil)
	if err == nil && result.ApplicationproblemJSON403 != nil {
		fmt.Println(result.ApplicationproblemJSON403.Code, result.ApplicationproblemJSON403.Detail)
	}
	// Output: forbidden Your role does not permit this.
}
