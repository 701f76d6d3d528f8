package contract

import (
	"net/http"
	"net/url"
	"testing"
)

// TestDocument_HasWhatOpenAISendsBeyondItsTypes checks fields of OpenAI's answers that no type of its SDKs has.
func TestDocument_HasWhatOpenAISendsBeyondItsTypes(t *testing.T) {
	t.Parallel()
	document, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	checker, err := document.Checker()
	if err != nil {
		t.Fatal(err)
	}
	checker.Check(&Exchange{
		Method: http.MethodPost, URL: &url.URL{Path: "/v1/responses"}, Status: http.StatusOK, AnswerWhole: true,
		AnswerHeader: http.Header{"Content-Type": {"application/json"}},
		Answer: []byte(
			`{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"gpt-4o-mini","output":[],
			"billing":{"payer":"developer"},"presence_penalty":0.0,"frequency_penalty":0.0}`),
	})
	if err := checker.Close(); err != nil {
		t.Error(err)
	}
}
