// Package mail sends messages to people through one SMTP server. Every wait on
// the server is bounded, and no text of a message can become a header of it.
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
	submissionPort  = 587
	submissionsPort = 465
	defaultTimeout  = 15 * time.Second
	maxSubject      = 900 // bytes; a line of a mail has 998
)

// Options make a Sender.
type Options struct {
	// URL is smtp://user:password@host:587, which needs STARTTLS unless the host
	// is this machine, or smtps://user:password@host:465. Ports and credentials
	// may be left out.
	URL     string
	From    string        // one address, with or without a name
	Timeout time.Duration // for each step of a delivery; 0: 15 s
	TLS     *tls.Config   // nil: the system's roots
}

// Sender delivers messages, each over a connection of its own. It is safe for
// concurrent use.
type Sender struct {
	server  server
	from    mail.Address
	timeout time.Duration
	tls     *tls.Config
}

// server is where mail is handed in.
type server struct {
	host           string
	port           int
	user, password string
	wrapped        bool // TLS from the first byte
	loopback       bool
}

// New checks the options. Its errors do not show the URL, which may hold a
// password.
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

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// Message is a mail to one person, as plain text and as HTML of the same words.
type Message struct {
	To      string // a bare address
	Subject string // one line
	Text    string
	HTML    string
}

// Send delivers a message to the server. It ends with ctx. Its errors name
// neither the credentials nor what the message says.
func (s *Sender) Send(ctx context.Context, m Message) error {
	letter, err := s.compose(m)
	if err != nil {
		return err
	}
	ctx, done := context.WithCancel(ctx)
	defer done()
	client, err := gomail.NewClient(s.server.host, s.options(ctx)...)
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	if err := client.DialAndSendWithContext(ctx, letter); err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	return nil
}

func (s *Sender) compose(m Message) (*gomail.Msg, error) {
	to, err := mail.ParseAddress(m.To)
	if err != nil || to.Address != m.To {
		return nil, errors.New("mail: the recipient is not an e-mail address")
	}
	if len(m.Subject) > maxSubject || strings.ContainsFunc(m.Subject, unicode.IsControl) {
		return nil, errors.New("mail: the subject is more than a line")
	}
	letter := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	letter.FromMailAddress(&s.from)
	letter.ToMailAddress(to)
	letter.Subject(m.Subject)
	letter.SetDate()
	letter.SetMessageIDWithValue(uuid.NewString() + s.from.Address[strings.LastIndexByte(s.from.Address, '@'):])
	letter.SetGenHeader("Auto-Submitted", "auto-generated")
	letter.SetBodyString(gomail.TypeTextPlain, m.Text)
	letter.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	return letter, nil
}

func (s *Sender) options(ctx context.Context) []gomail.Option {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.tls != nil {
		config = s.tls.Clone()
	}
	config.ServerName = s.server.host
	all := []gomail.Option{
		gomail.WithPort(s.server.port), gomail.WithTimeout(s.timeout), gomail.WithTLSConfig(config),
		gomail.WithTLSPolicy(s.server.policy()), gomail.WithDialContextFunc(s.dial(ctx, config)),
	}
	if s.server.user != "" {
		all = append(all, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.server.user), gomail.WithPassword(s.server.password))
	}
	return all
}

// policy lets a server on this machine do without TLS, and asks for no second
// TLS within the first.
func (at *server) policy() gomail.TLSPolicy {
	if at.loopback || at.wrapped {
		return gomail.TLSOpportunistic
	}
	return gomail.TLSMandatory
}

// dial connects so that the end of sending breaks the connection, whatever the
// server is doing.
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
		wrapped := tls.Client(conn, config)
		if err := wrapped.HandshakeContext(ctx); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return wrapped, nil
	}
}
