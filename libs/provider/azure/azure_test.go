package azure_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/provider/azure"
	"github.com/tollgate/tollgate/libs/provider/providertest"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

func TestCheck_NamesTheFieldAtFault(t *testing.T) {
	channel := func(base, version string, dialects ...catalog.Dialect) catalog.Channel {
		return catalog.Channel{BaseURL: base, Dialects: dialects, Settings: catalog.Settings{APIVersion: version}}
	}
	const base = "https://acme.openai.azure.com"
	for name, c := range map[string]struct {
		channel catalog.Channel
		param   string
	}{
		"both dialects": {channel(base, "", catalog.Chat, catalog.Responses), ""},
		"a date":        {channel(base, "2024-10-21", catalog.Chat), ""},
		"a preview":     {channel(base, "2025-04-01-preview", catalog.Chat), ""},
		"v1":            {channel(base, "v1", catalog.Chat), ""},
		"the preview":   {channel(base, "preview", catalog.Chat), ""},
		"no base URL":   {channel("", "", catalog.Chat), "base_url"},
		"messages":      {channel(base, "", catalog.Messages), "dialects"},
		"gemini":        {channel(base, "", catalog.Chat, catalog.Gemini), "dialects"},
		"no such form":  {channel(base, "2024-10", catalog.Chat), "settings.api_version"},
		"with a query":  {channel(base, "2024-10-21&x=y", catalog.Chat), "settings.api_version"},
	} {
		if err := (azure.Provider{}).Check(&c.channel); (err == nil) != (c.param == "") ||
			err != nil && problem.From(err).Param != c.param {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestConformance(t *testing.T) { providertest.Run(t, azure.Provider{}) }

// The relay drops the chunk with the usage if the client did not ask for usage. It must not drop the chunk of Azure's
// content filter, which has no choices either.
func TestStream_PassesTheContentFilterChunkOn(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/deployment_stream.txtar")
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "upstream.sse" })
	frames := output.NewStream(catalog.Chat, bytes.NewReader(archive.Files[at].Data), 1<<20, nil)
	var dropped, passed, finished int
	for {
		frame, err := frames.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || frame.Err != nil {
			t.Fatal(err, frame.Err)
		}
		switch {
		case frame.Chunk.UsageOnly:
			dropped++
			if *frame.Chunk.Usage != (usage.Usage{Input: 8, Output: 3}) {
				t.Errorf("%+v", frame.Chunk.Usage)
			}
		case !frame.Done:
			passed++
		}
		if frame.Chunk.Finished {
			finished++
		}
	}
	if dropped != 1 || passed != 4 || finished != 1 {
		t.Errorf("%d chunks dropped, %d passed on, %d of them finish", dropped, passed, finished)
	}
}

func TestRequest_HasNoKeyHeaderWithoutACredential(t *testing.T) {
	request, err := openai.ScanRequest([]byte(`{"model":"m","messages":[]}`), catalog.Chat)
	if err != nil {
		t.Fatal(err)
	}
	call := provider.Call{Dialect: catalog.Chat, Channel: &catalog.Channel{},
		Base: &url.URL{Scheme: "http", Host: "localhost:1"}, UpstreamModel: "m", Request: request}
	if r, err := (azure.Provider{}).Request(call); err != nil || len(r.Header.Values("Api-Key")) != 0 {
		t.Errorf("%v, %v", r.Header, err)
	}
}

func TestFault_ClassifiesErrorResponses(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   provider.Fault
	}{
		"success": {200, ``, provider.NoFault},
		"a filtered prompt": {400,
			`{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, provider.ClientFault},
		"a bad key": {401,
			`{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint."}}`,
			provider.CredentialFault},
		"a blocked resource": {403, ``, provider.CredentialFault},
		"no deployment": {404,
			`{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`,
			provider.ServerFault},
		"no such path": {404, `{"error":{"code":"404","message":"Resource not found"}}`, provider.ServerFault},
		"not JSON":     {404, `<html>`, provider.ServerFault},
		"no such response": {404, `{"error":{"code":"not_found","message":"Response with id 'resp_1' not found."}}`,
			provider.ClientFault},
		"a rate limit":   {429, ``, provider.BusyFault},
		"a server error": {500, ``, provider.ServerFault},
	} {
		if got := (azure.Provider{}).Fault(c.status, []byte(c.body)); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestProbeAndStoredRequest_HaveAzureURLs(t *testing.T) {
	channel := catalog.Channel{Settings: catalog.Settings{APIVersion: "preview"}}
	base := &url.URL{Scheme: "https", Host: "acme.openai.azure.com", Path: "/openai/v1"}
	probe := azure.Provider{}.Probe(provider.Call{Channel: &channel, Base: base, Credential: "k"})
	if probe.URL.String() != "https://acme.openai.azure.com/openai/v1/models?api-version=preview" ||
		probe.Header.Get("Api-Key") != "k" {
		t.Errorf("%s %v", probe.URL, probe.Header)
	}
	stored := azure.Provider{}.StoredRequest(provider.StoredResponse{Channel: &channel, Base: base, Credential: "k",
		Method: http.MethodGet, ID: "resp_1", Path: "/input_items", Query: "limit=2"})
	if stored.URL.String() !=
		"https://acme.openai.azure.com/openai/v1/responses/resp_1/input_items?api-version=preview&limit=2" {
		t.Errorf("%s", stored.URL)
	}
}

func TestRequest_PutsAnOperationBelowThePathOfResponses(t *testing.T) {
	request, err := openai.ScanOperation([]byte(`{"model":"m"}`), catalog.Responses)
	if err != nil {
		t.Fatal(err)
	}
	channel := catalog.Channel{Dialects: []catalog.Dialect{catalog.Responses},
		Settings: catalog.Settings{APIVersion: "preview"}}
	out, err := azure.Provider{}.Request(provider.Call{
		Dialect: catalog.Responses, Operation: provider.Compact, Channel: &channel,
		Base: &url.URL{Scheme: "https", Host: "acme.example"}, UpstreamModel: "m", Request: request,
	})
	if want := "https://acme.example/openai/v1/responses/compact?api-version=preview"; err != nil ||
		out.URL.String() != want {
		t.Errorf("got %v, %v, want %s", out.URL, err, want)
	}
}

func TestRequest_PutsEmbeddingsWhereTheVersionHasThem(t *testing.T) {
	request, err := openai.ScanRequest([]byte(`{"model":"m","input":"x"}`), catalog.Embeddings)
	if err != nil {
		t.Fatal(err)
	}
	for version, want := range map[string]string{
		"":           "https://acme.example/openai/v1/embeddings",
		"2024-10-21": "https://acme.example/openai/deployments/ours/embeddings?api-version=2024-10-21",
	} {
		channel := catalog.Channel{Dialects: []catalog.Dialect{catalog.Responses},
			Settings: catalog.Settings{APIVersion: version}}
		out, err := azure.Provider{}.Request(provider.Call{
			Dialect: catalog.Embeddings, Channel: &channel, Base: &url.URL{Scheme: "https", Host: "acme.example"},
			UpstreamModel: "ours", Request: request,
		})
		if err != nil || out.URL.String() != want || string(out.Body.Bytes()) != `{"model":"ours","input":"x"}` {
			t.Errorf("version %q: got %v %s, %v, want %s", version, out.URL, out.Body.Bytes(), err, want)
		}
	}
}
