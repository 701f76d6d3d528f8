// Package mailtest is an SMTP server for tests, which keeps what it is given.
package mailtest

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// patience is how long a letter is waited for.
const patience = time.Minute

// Inbox is a server on this machine. It takes every letter, and every password.
type Inbox struct {
	Address   string      // host:port
	Letters   chan Letter // as they came
	Passwords chan string // user:password of those who signed in
}

// Letter is one mail.
type Letter struct {
	From, To string // of the envelope
	Raw      []byte
}

// Listen starts a server until the test ends. shape may change it before it
// listens; nil for none.
func Listen(t testing.TB, shape func(*smtp.Server, *net.Listener)) *Inbox {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	box := &Inbox{Address: listener.Addr().String(), Letters: make(chan Letter, 64), Passwords: make(chan string, 64)}
	server := smtp.NewServer(box)
	server.Domain, server.ErrorLog = "localhost", quiet{}
	if shape != nil {
		shape(server, &listener)
	}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return box
}

// Next waits for a letter.
func (b *Inbox) Next(t testing.TB) Letter {
	t.Helper()
	select {
	case got := <-b.Letters:
		return got
	case <-time.After(patience):
		t.Fatal("no letter came")
		return Letter{}
	}
}

// NewSession begins a conversation with a client.
func (b *Inbox) NewSession(*smtp.Conn) (smtp.Session, error) { return &conversation{box: b}, nil }

type quiet struct{}

// Printf drops what the server says.
func (quiet) Printf(string, ...any) {}

// Println drops what the server says.
func (quiet) Println(...any) {}

type conversation struct {
	box *Inbox
	now Letter
}

// AuthMechanisms is what a client may sign in by.
func (c *conversation) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth takes every password.
func (c *conversation) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		c.box.Passwords <- user + ":" + password
		return nil
	}), nil
}

// Reset begins a new letter.
func (c *conversation) Reset() { c.now = Letter{} }

// Logout ends the conversation.
func (c *conversation) Logout() error { return nil }

// Mail takes the sender.
func (c *conversation) Mail(from string, _ *smtp.MailOptions) error {
	c.now.From = from
	return nil
}

// Rcpt takes the recipient.
func (c *conversation) Rcpt(to string, _ *smtp.RcptOptions) error {
	c.now.To = to
	return nil
}

// Data takes the letter.
func (c *conversation) Data(r io.Reader) (err error) {
	if c.now.Raw, err = io.ReadAll(r); err == nil {
		c.box.Letters <- c.now
	}
	return err
}

// Read returns the header, and the parts by media type.
func (l *Letter) Read(t testing.TB) (netmail.Header, map[string]string) {
	t.Helper()
	read, err := netmail.ReadMessage(bytes.NewReader(l.Raw))
	if err != nil {
		t.Fatalf("%v: %s", err, l.Raw)
	}
	_, params, err := mime.ParseMediaType(read.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	for all := multipart.NewReader(read.Body, params["boundary"]); ; {
		part, err := all.NextRawPart()
		if errors.Is(err, io.EOF) {
			return read.Header, parts
		}
		if err != nil {
			t.Fatal(err)
		}
		media, _, _ := mime.ParseMediaType(part.Header.Get("Content-Type"))
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			t.Fatal(err)
		}
		parts[media] = string(text)
	}
}
