// Package mailtest is an SMTP server for tests that stores the mails it receives.
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

// timeout bounds how long Next waits for a mail.
const timeout = time.Minute

// Inbox is a server on a loopback port. It accepts every mail and every password.
type Inbox struct {
	Address   string      // host:port
	Letters   chan Letter // in the order of arrival, up to 64
	Passwords chan string // user:password of each sign-in, up to 64
}

// Letter is a mail that the server received.
type Letter struct {
	From, To string // of the envelope; To is the last recipient
	Raw      []byte // headers and body
}

// Listen starts a server that runs until the test ends. configure may change the server and its listener
// before the start; nil changes nothing.
func Listen(t testing.TB, configure func(*smtp.Server, *net.Listener)) *Inbox {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	box := &Inbox{Address: listener.Addr().String(), Letters: make(chan Letter, 64), Passwords: make(chan string, 64)}
	server := smtp.NewServer(box)
	server.Domain, server.ErrorLog = "localhost", quiet{}
	if configure != nil {
		configure(server, &listener)
	}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return box
}

// Next returns the next mail. It fails the test if none arrives within a minute.
func (b *Inbox) Next(t testing.TB) Letter {
	t.Helper()
	select {
	case got := <-b.Letters:
		return got
	case <-time.After(timeout):
		t.Fatal("no mail arrived")
		return Letter{}
	}
}

// NewSession begins a session with a client, as smtp.Backend requires.
func (b *Inbox) NewSession(*smtp.Conn) (smtp.Session, error) { return &conversation{box: b}, nil }

// quiet is a logger that drops everything.
type quiet struct{}

// Printf drops a log line.
func (quiet) Printf(string, ...any) {}

// Println drops a log line.
func (quiet) Println(...any) {}

// conversation is a session with a client.
type conversation struct {
	box *Inbox
	now Letter // the mail that the client is sending
}

// AuthMechanisms returns the ways by which a client may sign in.
func (c *conversation) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth accepts every password and puts it into Passwords.
func (c *conversation) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		c.box.Passwords <- user + ":" + password
		return nil
	}), nil
}

// Reset begins a new mail.
func (c *conversation) Reset() { c.now = Letter{} }

// Logout ends the session.
func (c *conversation) Logout() error { return nil }

// Mail sets the sender.
func (c *conversation) Mail(from string, _ *smtp.MailOptions) error {
	c.now.From = from
	return nil
}

// Rcpt sets the recipient.
func (c *conversation) Rcpt(to string, _ *smtp.RcptOptions) error {
	c.now.To = to
	return nil
}

// Data reads the mail and puts it into Letters.
func (c *conversation) Data(r io.Reader) (err error) {
	if c.now.Raw, err = io.ReadAll(r); err == nil {
		c.box.Letters <- c.now
	}
	return err
}

// Read parses the mail and returns its header and its parts by media type. It fails the test if the mail is
// malformed.
func (l *Letter) Read(t testing.TB) (netmail.Header, map[string]string) {
	t.Helper()
	message, err := netmail.ReadMessage(bytes.NewReader(l.Raw))
	if err != nil {
		t.Fatalf("%v: %s", err, l.Raw)
	}
	_, params, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	for reader := multipart.NewReader(message.Body, params["boundary"]); ; {
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			return message.Header, parts
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
