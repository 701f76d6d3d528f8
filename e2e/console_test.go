package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"testing"
	"time"
)

// console is the console's API with somebody signed in.
type console struct {
	base   string
	client *http.Client
}

// signIn signs in at the console with the password that everyone has.
func signIn(t *testing.T, base, email, password string) *console {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &console{base: base, client: &http.Client{Jar: jar, Timeout: 20 * time.Second}}
	c.must(t, http.MethodPost, "/session", map[string]string{"email": email, "password": password}, nil)
	return c
}

func (w *world) signIn(t *testing.T, email string) *console {
	t.Helper()
	return signIn(t, w.Console.URL, email, everyonePassword)
}

// call sends in as JSON and decodes the answer into out; nil stands for none.
func (c *console) call(method, path string, in, out any) (int, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return 0, err
	}
	if in == nil {
		body = nil
	}
	r, err := http.NewRequest(method, c.base+"/api"+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end below
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	if resp.StatusCode >= 300 {
		return resp.StatusCode, fmt.Errorf("%s %s: %s: %.500s", method, path, resp.Status, raw)
	}
	if out != nil {
		err = json.Unmarshal(raw, out)
	}
	return resp.StatusCode, err
}

func (c *console) must(t *testing.T, method, path string, in, out any) {
	t.Helper()
	if _, err := c.call(method, path, in, out); err != nil {
		t.Fatal(err)
	}
}

// logged is a usage log as the console shows it.
type logged struct {
	ID, Model, Channel, Outcome, Error, Endpoint, Quota, Cost string
	Stream, Estimated                                         bool
	Tokens                                                    struct {
		Input       int64
		CachedInput int64 `json:"cached_input"`
		Output      int64
		Reasoning   int64
	}
	Receipt  *struct{ Total, Multiplier, Subtotal string }
	Attempts []struct {
		Channel string
		Served  bool
		Status  int
		Error   string
	}
}

// awaitLog returns the usage log with the id once the console shows it.
func (c *console) awaitLog(t *testing.T, id string) (l logged) {
	t.Helper()
	eventually(t, timeToRecord, "usage log "+id+" in the console", func() bool {
		status, err := c.call(http.MethodGet, "/usage-logs/"+id, nil, &l)
		if err != nil && status != http.StatusNotFound {
			t.Fatal(err)
		}
		return err == nil
	})
	return l
}

// find returns the id of the item whose field has the value, in a list.
func (c *console) find(t *testing.T, path, field, value string) string {
	t.Helper()
	for after := ""; ; {
		var page struct {
			Items []map[string]any
			Next  string
		}
		c.must(t, http.MethodGet, path+"?limit=200&after="+after, nil, &page)
		for _, item := range page.Items {
			if item[field] == value {
				return item["id"].(string)
			}
		}
		if after = page.Next; after == "" {
			t.Fatalf("%s: none has the %s %q", path, field, value)
		}
	}
}
