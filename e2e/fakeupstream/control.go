package fakeupstream

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// routeControl adds the endpoints with which other processes control the upstream.
func (u *Upstream) routeControl() {
	u.mux.HandleFunc("GET /inspect", u.inspect)
	u.mux.HandleFunc("GET /counters", func(w http.ResponseWriter, r *http.Request) {
		if model := r.URL.Query().Get("model"); model != "" {
			writeJSON(w, http.StatusOK, marshal(u.Of(model)))
			return
		}
		writeJSON(w, http.StatusOK, marshal(u.Counters()))
	})
	u.mux.HandleFunc("PUT /control/{model...}", put(func(r *http.Request, body []byte) error {
		script, err := ParseScript(strings.TrimSpace(string(body)))
		if err == nil {
			u.SetScript(r.PathValue("model"), script)
		}
		return err
	}))
	u.mux.HandleFunc("PUT /reply/{model...}", put(func(r *http.Request, body []byte) error {
		var reply Reply
		err := json.Unmarshal(body, &reply)
		if err == nil {
			u.SetReply(r.PathValue("model"), reply)
		}
		return err
	}))
	u.mux.HandleFunc("PUT /bill", put(func(_ *http.Request, body []byte) error {
		var b Bill
		err := json.Unmarshal(body, &b)
		if err == nil {
			u.SetBill(b)
		}
		return err
	}))
	u.mux.HandleFunc("PUT /barrier/{name}", put(func(r *http.Request, _ []byte) error {
		u.barrier(r.PathValue("name")).open()
		return nil
	}))
	u.mux.HandleFunc("POST /barrier/{name}", func(w http.ResponseWriter, r *http.Request) {
		select {
		case u.barrier(r.PathValue("name")).passes <- struct{}{}:
			w.WriteHeader(http.StatusNoContent)
		case <-r.Context().Done():
		}
	})
}

// put returns a handler that passes the body to set. An error of set is a malformed request.
func put(set func(r *http.Request, body []byte) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has disconnected
		}
		if err := set(r, body); err != nil {
			http.Error(w, fmt.Sprintf("%s: %v", r.URL.Path, err), http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// inspect answers GET /inspect.
func (u *Upstream) inspect(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	record, ok := u.Find(query.Get("match"))
	switch {
	case !ok:
		http.Error(w, "no such request", http.StatusNotFound)
	case query.Has("request"):
		writeJSON(w, http.StatusOK, marshal(record))
	case query.Has("headers"):
		writeJSON(w, http.StatusOK, marshal(record.Header))
	default:
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(record.Body)
	}
}
