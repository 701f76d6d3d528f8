// Package anthropic is the provider of Anthropic, and of every server that
// speaks its Messages API under some base URL.
package anthropic

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/messages"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Provider implements provider.Provider.
type Provider struct{}

const (
	defaultHost    = "api.anthropic.com"
	defaultVersion = "2023-06-01"
	versionPath    = "/v1"
)

// Check wants no other dialect than messages. A base URL is not needed.
func (Provider) Check(channel *catalog.Channel) error {
	for _, dialect := range channel.Dialects {
		if dialect != catalog.Messages {
			return problem.New(problem.InvalidType, "an anthropic channel does not serve %q", dialect).At("endpoints")
		}
	}
	return nil
}

// Request translates the call.
func (Provider) Request(call provider.Call) (provider.Request, error) {
	if call.Conversation == nil {
		return provider.Request{}, problem.New(problem.UnsupportedParameter, "an anthropic channel does not serve %q untranslated", call.Dialect)
	}
	body, err := messages.EncodeRequest(call.Conversation, messages.Options{Model: call.UpstreamModel, MaxOutput: call.MaxOutput})
	if err != nil {
		return provider.Request{}, err
	}
	return provider.Request{
		Method:  http.MethodPost,
		URL:     at(call.Base, "/messages"),
		Header:  header(call),
		Body:    rawjson.NewBody(body),
		Decoder: messages.NewDecoder(call.Conversation),
	}, nil
}

// Probe lists a model, which every credential may.
func (Provider) Probe(call provider.Call) provider.Request {
	u := at(call.Base, "/models")
	u.RawQuery = "limit=1"
	return provider.Request{Method: http.MethodGet, URL: u, Header: header(call)}
}

// at is the address of a path of the API under a base URL with or without its
// /v1, or at Anthropic where there is none.
func at(base *url.URL, path string) *url.URL {
	u := url.URL{Scheme: "https", Host: defaultHost}
	if base != nil {
		u = url.URL{Scheme: base.Scheme, Host: base.Host, Path: base.Path}
	}
	if !strings.HasSuffix(u.Path, versionPath) {
		u.Path += versionPath
	}
	u.Path += path
	return &u
}

func header(call provider.Call) http.Header {
	h := http.Header{
		"Content-Type":      jsonType,
		"User-Agent":        userAgent,
		"Anthropic-Version": apiVersion,
	}
	if version := call.Channel.Settings.APIVersion; version != "" {
		h["Anthropic-Version"] = []string{version}
	}
	if call.Credential != "" {
		h["X-Api-Key"] = []string{call.Credential}
	}
	return h
}

// Shared by all requests: net/http does not change header values.
var (
	jsonType   = []string{"application/json"}
	userAgent  = []string{"tollgate"}
	apiVersion = []string{defaultVersion}
)

// statusOverloaded is of Anthropic alone.
const statusOverloaded = 529

// Fault departs from what all families share in three cases: an account
// without money answers as if the request were bad; 404 is of a model that
// this account does not have, which another channel may; 529 is too much load.
func (Provider) Fault(status int, body []byte) provider.Fault {
	switch {
	case status == statusOverloaded:
		return provider.BusyFault
	case status == http.StatusNotFound:
		return provider.ServerFault
	case status == http.StatusBadRequest && isUnpaid(body):
		return provider.CredentialFault
	}
	return provider.FaultOf(status)
}

// unpaid are how Anthropic words, under the type of any other bad request, that
// credit is used up or that a spend limit is reached.
var unpaid = [...]string{"credit balance is too low", "reached your specified API usage limits"}

func isUnpaid(body []byte) bool {
	var answer struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return false
	}
	for _, words := range unpaid {
		if strings.Contains(answer.Error.Message, words) {
			return true
		}
	}
	return answer.Error.Type == "billing_error"
}
