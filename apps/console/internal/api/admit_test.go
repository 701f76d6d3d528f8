package api

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// member is the user of every session.
type member struct{ id uuid.UUID }

func (m member) Find(context.Context, string) (signin.Session, error) {
	return signin.Session{User: tenant.User{ID: m.id, TenantID: m.id, Role: tenant.Member}}, nil
}

// A member sends the heads of many changes while one change is allowed, and then the ends of all bodies at once.
func TestChanges_CountBeforeTheirBodiesAreRead(t *testing.T) {
	t.Parallel()
	limits := throttle.New() // its goroutine does not end, so it must not be in the bubble
	synctest.Test(t, func(t *testing.T) {
		mux, me := http.NewServeMux(), member{uuid.New()}
		a := New(mux, Options{CookieName: "session", Sessions: me, Throttle: limits, Now: time.Now})
		Register(a, Operation{ID: "change", Method: http.MethodPost, Path: "/change", Status: http.StatusNoContent},
			func(context.Context, *struct {
				Body struct {
					Name string `json:"name" maxLength:"5"`
				}
			}) (*struct{}, error) {
				return nil, nil
			})
		begin := func() (body *io.PipeWriter, status <-chan int) {
			reader, body := io.Pipe()
			answers := make(chan int, 1)
			go func() {
				request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/change", reader)
				request.AddCookie(&http.Cookie{Name: "session", Value: "mine"})
				request.Header.Set("Content-Type", "application/json")
				response := httptest.NewRecorder()
				mux.ServeHTTP(response, request)
				_ = reader.Close()
				answers <- response.Code
			}()
			synctest.Wait()
			return body, answers
		}
		end := func(body *io.PipeWriter, status <-chan int, text string) int {
			_, _ = body.Write([]byte(text)) // fails if the request was refused
			_ = body.Close()
			return <-status
		}
		for limits.Charge(throttle.ChangesByUser, me.id.String(), time.Now()) {
			continue
		}
		limits.Return(throttle.ChangesByUser, me.id.String(), time.Now())

		first, firstStatus := begin()
		second, secondStatus := begin()
		if got := end(second, secondStatus, `{"name": "x"}`); got != http.StatusTooManyRequests {
			t.Errorf("a change while the last allowed one waits for its body: got status %d, want 429", got)
		}
		if got := end(first, firstStatus, `{"name": "too long"}`); got != http.StatusBadRequest {
			t.Errorf("a wrong change: got status %d, want 400", got)
		}
		third, thirdStatus := begin()
		if got := end(third, thirdStatus, `{"name": "x"}`); got != http.StatusNoContent {
			t.Errorf("a change after a wrong one: got status %d, want 204", got)
		}
		fourth, fourthStatus := begin()
		if got := end(fourth, fourthStatus, `{"name": "x"}`); got != http.StatusTooManyRequests {
			t.Errorf("one change too many: got status %d, want 429", got)
		}
	})
}
