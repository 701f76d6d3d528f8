// Package mail sends messages through one SMTP server.
//
// Credentials are sent over TLS only, except to a server on the same machine. Every step of a delivery has a
// timeout, and the end of the context breaks the connection. Addresses and subjects are checked, so that no
// text of a message can add a header (header injection). It does not retry: package mailer decides about
// retries.
package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	gomail "github.com/wneessen/go-mail"
)

const (
	submissionPort  = 587 // of smtp, with STARTTLS (RFC 6409)
	submissionsPort = 465 // of smtps, with TLS from the first byte (RFC 8314)
	defaultTimeout  = 15 * time.Second
	maxSubject      = 900 // bytes; RFC 5322 limits a line to 998 characters
)

// Options configures a Sender.
type Options struct {
	// URL is smtp://user:password@host:587, which requires STARTTLS unless the host is this machine, or
	// smtps://user:password@host:465. Port and credentials are optional.
	URL     string
	From    string        // one address, with or without a name
	Timeout time.Duration // of each step of a delivery; 0: 15 s
	TLS     *tls.Config   // nil: trust the roots of the system
}

// Sender sends messages, each over a new connection. It is safe for concurrent use.
type Sender struct {
	server  server
	from    mail.Address
	timeout time.Duration
	tls     *tls.Config
}

// server is the SMTP server of a URL.
type server struct {
	host           string
	port           int
	user, password string // "": no authentication
	wrapped        bool   // TLS from the first byte
	loopback       bool   // the server is on this machine
}

// New checks the options and returns a Sender. It does not connect. Its errors do not show the URL, which may
// hold a password.
func New(o Options) (*Sender, error) {
	at, err := parse(o.URL)
	if err != nil {
		return nil, err
	}
	from, err := mail.ParseAddress(o.From)
	if err != nil {
		return nil, errors.New("mail: the sender is not an e-mail address")
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	return &Sender{server: at, from: *from, timeout: o.Timeout, tls: o.TLS}, nil
}

var errURL = errors.New("mail: the server must be smtp://user:password@host:587 or smtps://user:password@host:465")

// parse returns the server of a URL, or errURL.
func parse(raw string) (server, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return server{}, errURL
	}
	at := server{host: u.Hostname(), port: submissionPort, user: u.User.Username(), loopback: isLoopback(u.Hostname())}
	at.password, _ = u.User.Password()
	switch u.Scheme {
	case "smtp":
	case "smtps":
		at.wrapped, at.port = true, submissionsPort
	default:
		return server{}, errURL
	}
	if u.Port() != "" {
		if at.port, err = strconv.Atoi(u.Port()); err != nil || at.port < 1 || at.port > 65535 {
			return server{}, errURL
		}
	}
	return at, nil
}

// isLoopback reports whether the host is this machine by its name or address, without a lookup.
func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// Message is a mail to one recipient, with the same content as plain text and as HTML.
type Message struct {
	ID      string // the left part of the Message-ID, which is the same in each attempt; "": a random one for each
	To      string // an address without a name
	Subject string // one line of at most 900 bytes
	Text    string
	HTML    string
}

// Send hands a message to the server. It returns nil when the server has accepted the message. It returns
// early if ctx ends. Its errors show neither the credentials nor the content of the message.
func (s *Sender) Send(ctx context.Context, m Message) error {
	letter, err := s.compose(m)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx) // its end closes the connection, see dial
	defer cancel()
	client, err := gomail.NewClient(s.server.host, s.options(ctx)...)
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	// Commands follow the message, such as QUIT. Their failure is none of the message, which would be sent again.
	if err := client.DialAndSendWithContext(ctx, letter); err != nil && !letter.IsDelivered() {
		return fmt.Errorf("mail: %w", err)
	}
	return nil
}

// compose returns the mail of a message, or an error if an address or the subject is invalid.
func (s *Sender) compose(m Message) (*gomail.Msg, error) {
	to, err := mail.ParseAddress(m.To)
	if err != nil || to.Address != m.To {
		return nil, errors.New("mail: the recipient is not an e-mail address")
	}
	if len(m.Subject) > maxSubject || strings.ContainsFunc(m.Subject, unicode.IsControl) {
		return nil, errors.New("mail: the subject is too long or not a single line")
	}
	letter := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	letter.FromMailAddress(&s.from)
	letter.ToMailAddress(to)
	letter.Subject(m.Subject)
	letter.SetDate()
	id := m.ID
	if id == "" {
		id = uuid.NewString()
	}
	letter.SetMessageIDWithValue(id + s.from.Address[strings.LastIndexByte(s.from.Address, '@'):])
	letter.SetGenHeader("Auto-Submitted", "auto-generated")
	letter.SetBodyString(gomail.TypeTextPlain, m.Text)
	letter.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	return letter, nil
}

// options returns the options of the SMTP client for one delivery, which ctx ends.
func (s *Sender) options(ctx context.Context) []gomail.Option {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.tls != nil {
		config = s.tls.Clone()
	}
	config.ServerName = s.server.host
	options := []gomail.Option{
		gomail.WithPort(s.server.port), gomail.WithTimeout(s.timeout), gomail.WithTLSConfig(config),
		gomail.WithTLSPolicy(s.server.policy()), gomail.WithDialContextFunc(s.dial(ctx, config)),
	}
	if s.server.user != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.server.user),
			gomail.WithPassword(s.server.password))
	}
	return options
}

// policy requires STARTTLS, except for a server on this machine and for a connection that uses TLS already.
func (at *server) policy() gomail.TLSPolicy {
	if at.loopback || at.wrapped {
		return gomail.TLSOpportunistic
	}
	return gomail.TLSMandatory
}

// dial returns a dial function whose connections are closed when sending ends. The SMTP client itself checks
// the context only when it dials, so a server that stops answering would block it for all timeouts.
func (s *Sender) dial(sending context.Context, config *tls.Config) gomail.DialContextFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{Timeout: s.timeout}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(sending, func() { _ = conn.Close() })
		if !s.server.wrapped {
			return conn, nil
		}
		tlsConn := tls.Client(conn, config)
		if err := tlsConn.HandshakeContext(ctx); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return tlsConn, nil
	}
}
