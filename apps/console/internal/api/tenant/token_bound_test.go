package tenant_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// A user who creates tokens in parallel must not pass the maximum, and tokens beyond it must stay valid.
func TestTokens_AreBoundedForEachUser(t *testing.T) {
	t.Parallel()
	for kind, database := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := consoletest.SetupFor(t, database(t), config.Config{ConsoleURL: "http://localhost:8081",
				MaxTokensPerUser: 5})
			me := s.As(s.Acme.Member) // has one token
			codes := make([]int, 30)
			var wg sync.WaitGroup
			for i := range codes {
				wg.Go(func() { codes[i] = me.Post("/api/tokens", map[string]any{"name": "x"}).StatusCode })
			}
			wg.Wait()
			created := 0
			for _, code := range codes {
				switch code {
				case http.StatusCreated:
					created++
				case http.StatusConflict:
				default:
					t.Errorf("got status %d, want 201 or 409", code)
				}
			}
			if created != 4 {
				t.Errorf("%d tokens were created, want 4", created)
			}
			full := me.Post("/api/tokens", map[string]any{"name": "x"})
			full.Refused(t, http.StatusConflict, "user_id")
			if !strings.Contains(full.Raw, "at most 5 tokens (TOLLGATE_MAX_TOKENS_PER_USER)") {
				t.Errorf("got %s, want the maximum and its variable", full.Raw)
			}
			s.As(s.Acme.Owner).Post("/api/tokens", map[string]any{"name": "x", "user_id": s.Acme.Member.ID}).
				Refused(t, http.StatusConflict, "user_id")
			s.As(s.Acme.Admin).Post("/api/tokens", map[string]any{"name": "x"}).Want(t, http.StatusCreated)
			me.Post("/api/playground/token", nil).Want(t, http.StatusCreated)
			me.Post("/api/tokens/"+s.Acme.Token.ID.String()+"/rotate", nil).Want(t, http.StatusCreated)

			s.Config.MaxTokensPerUser = 2
			s.Serve()
			listed := consoletest.Items(t, me.Get("/api/tokens?status=enabled").Want(t, http.StatusOK))
			if len(listed) != 6 {
				t.Errorf("after the maximum was lowered: %d tokens, want 5 and that of the playground", len(listed))
			}
			for _, item := range listed {
				if consoletest.At(t, item, "purpose") == "" {
					me.Post("/api/tokens/"+consoletest.Text(t, item, "id")+"/revoke", nil).Want(t, http.StatusOK)
				}
			}
			me.Post("/api/tokens", map[string]any{"name": "x"}).Want(t, http.StatusCreated)
		})
	}
}

// The schema is not the only bound: programs that import tokens do not pass it.
func TestTokens_AllowlistsAreBoundedByTheStore(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	long := make([]string, 1001)
	for i := range long {
		long[i] = "gpt-*"
	}
	id := uuid.Must(uuid.NewV7())
	value := token.New(id)
	n := tokendb.NewToken{
		Token: token.Token{ID: id, UserID: s.Acme.Member.ID, Name: "x", Mask: token.Mask(value), Models: long},
		Hash:  token.HashOf(seal.New(s.Secret).Pepper(), value),
	}
	if _, err := s.Store.Token.CreateToken(t.Context(), consoletest.System, n); err == nil ||
		!strings.Contains(err.Error(), "models may have at most 1000 entries") {
		t.Errorf("1,001 models: got %v, want an error with the bound", err)
	}
	n.Models = long[1:]
	made, err := s.Store.Token.CreateToken(t.Context(), consoletest.System, n)
	s.Must(err)
	if _, err := s.Store.Token.UpdateToken(t.Context(), consoletest.System, made.ID,
		tokendb.Patch{Models: &long}); err == nil {
		t.Error("a token got 1,001 models")
	}
}
