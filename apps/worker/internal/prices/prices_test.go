package prices_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/worker/internal/prices"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/egress"
	"github.com/tollgate/tollgate/libs/pricecatalog"
	"github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

const small = `{"version": 1, "updated": "2026-11-01", "entries": [{"provider": "acme", "model": "mini", "price": {"input": "1", "output": "2"}, "source": "https://acme.example", "read": "2026-11-01"}]}`

func TestRun_StoresAFileWithTheRightChecksumOnly(t *testing.T) {
	t.Parallel()
	scope := tenant.SystemScope("worker")
	sum := catalog.SHA256([]byte(small))
	hostile := strings.Replace(small, `"1"`, `"-1"`, 1)
	for name, row := range map[string]struct {
		files  map[string]string // by path; a text that begins with "http" is a redirect
		pinned string
		fault  string // "": the file is stored
	}{
		"a pinned checksum":          {map[string]string{"/p.json": small}, sum, ""},
		"a pinned one in upper case": {map[string]string{"/p.json": small}, strings.ToUpper(sum), ""},
		"a checksum next to it": {map[string]string{"/p.json": small, "/p.json.sha256": sum + "  p.json\n"}, "",
			""},
		"another checksum": {map[string]string{"/p.json": small}, strings.Repeat("0", 64),
			"has the SHA-256 checksum " + sum},
		"another checksum next to it": {map[string]string{"/p.json": small, "/p.json.sha256": strings.Repeat("a", 64)},
			"", "has the SHA-256 checksum"},
		"no checksum": {map[string]string{"/p.json": small}, "", "checksum: "},
		"a page instead of a sum": {map[string]string{"/p.json": small, "/p.json.sha256": "<html>"}, "",
			"does not begin with a SHA-256"},
		"an endless sum": {map[string]string{"/p.json": small, "/p.json.sha256": strings.Repeat("a", 2000)},
			"", "is larger than 1024 bytes"},
		"a negative rate": {map[string]string{"/p.json": hostile}, catalog.SHA256([]byte(hostile)),
			"entry 0 (acme/mini): entries[0].price.input"},
		"an enormous file": {map[string]string{"/p.json": strings.Repeat(" ", pricecatalog.MaxBytes+1)}, sum,
			"is larger than 4194304 bytes"},
		"a redirect": {map[string]string{"/p.json": "http://127.0.0.1:1/"}, sum,
			"answered with the status 302"},
		"nothing": {nil, sum, "answered with the status 404"},
		"a redirect of the checksum": {map[string]string{"/p.json": small, "/p.json.sha256": "http://127.0.0.1:1/"}, "",
			"answered with the status 302"},
		"a file that is not UTF-8": {map[string]string{"/p.json": "\xff"}, catalog.SHA256([]byte("\xff")),
			"not valid UTF-8"},
		"YAML with anchors": {map[string]string{"/p.json": "a: &a [*a]"}, catalog.SHA256([]byte("a: &a [*a]")),
			"not valid JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				text, ok := row.files[r.URL.Path]
				switch {
				case !ok:
					http.NotFound(w, r)
				case strings.HasPrefix(text, "http"):
					http.Redirect(w, r, text, http.StatusFound)
				default:
					_, _ = w.Write([]byte(text))
				}
			}))
			t.Cleanup(server.Close)
			s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
			transport := egress.New(egress.Options{Policy: address.Policy{}})
			t.Cleanup(transport.CloseIdle)
			f, err := prices.New(prices.Options{
				Store: s.Catalog, Scope: scope, URL: server.URL + "/p.json?key=secret", SHA256: row.pinned,
				Transport: transport, Log: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(),
			})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second run finds the file stored
				err = f.Run(t.Context())
			}
			stored, readErr := s.Catalog.PriceFile(t.Context(), scope)
			if readErr != nil {
				t.Fatal(readErr)
			}
			switch {
			case row.fault == "" && (err != nil || stored.Text != small || stored.Fault != "" ||
				stored.Source != server.URL+"/p.json" || stored.CheckedAt.IsZero()):
				t.Errorf("Run = %v; stored %q from %s, fault %q", err, stored.Text, stored.Source, stored.Fault)
			case row.fault != "" && (err == nil || stored.Text != "" || !strings.Contains(stored.Fault, row.fault) ||
				strings.Contains(stored.Fault+err.Error(), "secret")):
				t.Errorf("Run = %v; stored %q, fault %q, want %q", err, stored.Text, stored.Fault, row.fault)
			}
		})
	}
}

func TestRun_ObeysTheEgressPolicyAndIsOffWithoutAURL(t *testing.T) {
	t.Parallel()
	scope := tenant.SystemScope("worker")
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	for url, refused := range map[string]bool{"": false, "http://169.254.169.254/latest/meta-data": true,
		"http://0x7f000001/p.json": true} {
		transport := egress.New(egress.Options{Policy: address.Policy{}})
		t.Cleanup(transport.CloseIdle)
		f, err := prices.New(prices.Options{Store: s.Catalog, Scope: scope, URL: url, SHA256: strings.Repeat("0", 64),
			Transport: transport, Log: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry()})
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Run(t.Context()); refused != (err != nil && strings.Contains(err.Error(), "egress refused")) {
			t.Errorf("%s: Run = %v", url, err)
		}
	}
}
