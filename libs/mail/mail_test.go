package mail_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"mime"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/tollgate/tollgate/libs/mail"
	"github.com/tollgate/tollgate/libs/mail/mailtest"
)

// trust returns the configuration of a server with a certificate for 127.0.0.1, and that of a client that trusts it.
func trust(t testing.TB) (server, client *tls.Config) {
	t.Helper()
	made := httptest.NewTLSServer(nil)
	t.Cleanup(made.Close)
	roots := x509.NewCertPool()
	roots.AddCert(made.Certificate())
	return &tls.Config{Certificates: made.TLS.Certificates, MinVersion: tls.VersionTLS12},
		&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
}

func sender(t testing.TB, o mail.Options) *mail.Sender {
	t.Helper()
	if o.From == "" {
		o.From = "Tollgate <tollgate@console.example>"
	}
	s, err := mail.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var hello = mail.Message{To: "ada@acme.example", Subject: "Grüße, Ada",
	Text: "Go to https://console.example/x#" + strings.Repeat("a", 80) + "\n", HTML: "<p>Go</p>"}

func TestSend_DeliversTheMessage(t *testing.T) {
	t.Parallel()
	box := mailtest.Listen(t, nil)
	if err := sender(t, mail.Options{URL: "smtp://" + box.Address}).Send(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	got := box.Next(t)
	if got.From != "tollgate@console.example" || got.To != "ada@acme.example" {
		t.Errorf("got a mail from %s to %s", got.From, got.To)
	}
	header, parts := got.Read(t)
	subject, _ := new(mime.WordDecoder).DecodeHeader(header.Get("Subject"))
	if subject != hello.Subject || header.Get("To") != "<ada@acme.example>" ||
		!strings.HasSuffix(header.Get("Message-ID"), "@console.example>") {
		t.Errorf("got header %v", header)
	}
	if text := strings.ReplaceAll(parts["text/plain"], "\r\n", "\n"); strings.TrimSpace(text) !=
		strings.TrimSpace(hello.Text) || strings.TrimSpace(parts["text/html"]) != hello.HTML {
		t.Errorf("got parts %q, want the text and the HTML of the message", parts)
	}
}

func TestSend_SendsCredentialsOnlyOverTLS(t *testing.T) {
	t.Parallel()
	server, client := trust(t)
	startTLS := func(s *smtp.Server, _ *net.Listener) { s.TLSConfig = server }
	wrapped := func(_ *smtp.Server, l *net.Listener) { *l = tls.NewListener(*l, server) }
	for _, row := range []struct {
		name, scheme string
		shape        func(*smtp.Server, *net.Listener)
		trusted      *tls.Config
		arrives      bool
	}{
		{"STARTTLS", "smtp", startTLS, client, true},
		{"TLS from the first byte", "smtps", wrapped, client, true},
		{"STARTTLS with an untrusted certificate", "smtp", startTLS, nil, false},
		{"TLS from the first byte with an untrusted certificate", "smtps", wrapped, nil, false},
		{"a server without TLS", "smtp", func(s *smtp.Server, _ *net.Listener) { s.AllowInsecureAuth = true }, client,
			false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			box := mailtest.Listen(t, row.shape)
			err := sender(t, mail.Options{URL: row.scheme + "://ada:s3cret-pw@" + box.Address, TLS: row.trusted}).
				Send(t.Context(), hello)
			if row.arrives != (err == nil) {
				t.Fatalf("got error %v, want delivery %v", err, row.arrives)
			}
			if err != nil {
				if strings.Contains(err.Error(), "s3cret-pw") || len(box.Passwords) > 0 {
					t.Errorf("the password was sent, or the error shows it: %v", err)
				}
				return
			}
			if got := <-box.Passwords; got != "ada:s3cret-pw" {
				t.Errorf("got credentials %s, want ada:s3cret-pw", got)
			}
		})
	}
}

func TestSend_TimesOutWhenTheServerDoesNotAnswer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	url := "smtp://" + listener.Addr().String()
	if err := sender(t, mail.Options{URL: url, Timeout: 50 * time.Millisecond}).Send(t.Context(), hello); err == nil {
		t.Error("Send to a silent server returned no error")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := sender(t, mail.Options{URL: url, Timeout: time.Hour}).Send(ctx, hello); err == nil {
		t.Error("Send returned no error when its context ended")
	}
}

// A message that was accepted must not be sent again.
func TestSend_SucceedsWhenTheServerLeavesAfterTheMessage(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		lines := bufio.NewScanner(conn)
		_, _ = io.WriteString(conn, "220 ready\r\n")
		for lines.Scan() {
			if lines.Text() != "DATA" {
				_, _ = io.WriteString(conn, "250 yes\r\n")
				continue
			}
			_, _ = io.WriteString(conn, "354 go on\r\n")
			for lines.Scan() && lines.Text() != "." { //nolint:revive // the condition reads the message
			}
			_, _ = io.WriteString(conn, "250 accepted\r\n")
			return
		}
	}()
	if err := sender(t, mail.Options{URL: "smtp://" + listener.Addr().String()}).Send(t.Context(), hello); err != nil {
		t.Errorf("got %v, want no error", err)
	}
}

func TestSend_RefusesHeaderInjection(t *testing.T) {
	t.Parallel()
	box := mailtest.Listen(t, nil)
	s := sender(t, mail.Options{URL: "smtp://" + box.Address})
	for _, bad := range []mail.Message{
		{To: "a@x.example\r\nBcc: b@x.example"}, {To: "a@x.example, b@x.example"}, {To: "Ada <a@x.example>"}, {To: ""},
		{To: "a@x.example", Subject: "x\r\nBcc: b@x.example"}, {To: "a@x.example", Subject: "x\ny"},
	} {
		if err := s.Send(t.Context(), bad); err == nil {
			t.Errorf("%+v was sent", bad)
		}
	}
	if len(box.Letters) > 0 {
		t.Error("a mail arrived")
	}
}

func TestNew_ChecksTheURL(t *testing.T) {
	t.Parallel()
	for url, good := range map[string]bool{
		"smtp://mail.example": true, "smtp://mail.example:25": true, "smtps://ada:pw@mail.example": true,
		"smtp://[::1]:1025/": true,
		"":                   false, "mail.example:25": false, "http://mail.example": false, "smtp://": false,
		"smtp://mail.example:0":    false,
		"smtp://mail.example/path": false, "smtp://mail.example?tls=no": false,
		"smtp://ada:hunter2@mail.example:x": false,
	} {
		_, err := mail.New(mail.Options{URL: url, From: "a@x.example"})
		if good != (err == nil) {
			t.Errorf("%s: got error %v, want valid %v", url, err, good)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
	if _, err := mail.New(mail.Options{URL: "smtp://mail.example", From: "nobody"}); err == nil {
		t.Error("a sender without an address was accepted")
	}
}

// FuzzSend_HeaderInjection checks that no subject or text adds a header to the mail.
func FuzzSend_HeaderInjection(f *testing.F) {
	box := mailtest.Listen(f, nil)
	s := sender(f, mail.Options{URL: "smtp://" + box.Address})
	for _, seed := range []string{"", "Hello", "x\r\nBcc: b@x.example", "=?utf-8?q?x?=", "\u2028Bcc: b",
		strings.Repeat("long ", 300), "\xff\xfe"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, subject, text string) {
		if err := s.Send(t.Context(), mail.Message{To: "ada@acme.example", Subject: subject, Text: text,
			HTML: text}); err != nil {
			return
		}
		got := box.Next(t)
		header, _ := got.Read(t)
		if len(header) != 8 || header.Get("Bcc") != "" || header.Get("To") != "<ada@acme.example>" {
			t.Errorf("got header %v, want the usual 8 fields", header)
		}
	})
}
