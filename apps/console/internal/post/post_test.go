package post

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tollgate/tollgate/libs/mail"
	"github.com/tollgate/tollgate/libs/mail/mailtest"
)

func office(log *bytes.Buffer) *Office {
	return New(Options{Log: slog.New(slog.NewTextHandler(log, nil))})
}

func TestWhatWaitsIsDoneInOrderBeforeTheOfficeStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := office(&bytes.Buffer{})
		var done []int
		for i := range 3 {
			o.Later("a letter", func(ctx context.Context) error {
				time.Sleep(time.Second) //nolint:forbidigo // the bubble's clock
				done = append(done, i)
				return ctx.Err()
			})
		}
		if err := errors.Join(o.Start(t.Context()), o.Start(t.Context()), o.Stop(t.Context()), o.Stop(t.Context())); err != nil {
			t.Fatal(err)
		}
		if len(done) != 3 || done[0] != 0 || done[2] != 2 {
			t.Errorf("done: %v", done)
		}
		if o.Later("a late one", func(context.Context) error { return nil }) {
			t.Error("a stopped office took a letter")
		}
	})
}

func TestWhatTakesTooLongIsCut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := &bytes.Buffer{}
		o := office(log)
		for range 5 {
			o.Later("a letter", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		}
		if err := o.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		if err := o.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != 90*time.Second {
			t.Errorf("%v after %s", err, time.Since(begun))
		}
		if n := strings.Count(log.String(), "mail was not sent"); n != 5 {
			t.Errorf("%d failures are logged: %s", n, log)
		}
	})
}

func TestTheQueueIsBounded(t *testing.T) {
	t.Parallel()
	log := &bytes.Buffer{}
	o := office(log)
	for i := range queued + 1 {
		if took := o.Later("a letter", func(context.Context) error { return nil }); took != (i < queued) {
			t.Fatalf("letter %d: %v", i, took)
		}
	}
	if !strings.Contains(log.String(), "mail is dropped") {
		t.Errorf("log = %s", log)
	}
	if err := o.Stop(t.Context()); err != nil {
		t.Errorf("an office that never opened: %v", err)
	}
}

func TestWordsOfPeopleStayWords(t *testing.T) {
	t.Parallel()
	box := mailtest.Listen(t, nil)
	sender, err := mail.New(mail.Options{URL: "smtp://" + box.Address, From: "a@console.example"})
	if err != nil {
		t.Fatal(err)
	}
	o := New(Options{Sender: sender, URL: "https://console.example", Log: slog.New(slog.DiscardHandler)})
	if err := o.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.Invite(Invitation{To: "ada@x.example", Inviter: "bob@x.example", Tenant: "<b>Müller & Söhne</b>", Link: o.InvitationLink("secret"), ExpiresAt: time.Unix(0, 0)})
	letter := box.Next(t)
	if err := o.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	header, parts := letter.Read(t)
	if !strings.Contains(parts["text/html"], "&lt;b&gt;Müller &amp; Söhne&lt;/b&gt;") || !strings.Contains(parts["text/plain"], "<b>Müller & Söhne</b>") {
		t.Errorf("parts = %v", parts)
	}
	if !strings.Contains(parts["text/html"], `href="https://console.example/invitation#secret"`) || !strings.Contains(parts["text/plain"], "1 January 1970, 00:00 UTC") {
		t.Errorf("parts = %v", parts)
	}
	if header.Get("Auto-Submitted") != "auto-generated" {
		t.Errorf("header = %v", header)
	}
}
