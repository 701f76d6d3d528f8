package consoletest

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/console"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/mail/mailtest"
)

// WithMail starts a console on the stack's store that delivers mail to the returned inbox.
func (s *Stack) WithMail() *mailtest.Inbox {
	s.Helper()
	box := mailtest.Listen(s, nil)
	app := s.Mailing(box)
	s.Must(app.Start(s.Context()))
	s.Cleanup(func() { s.Must(app.Stop(context.Background())) })
	s.URL = "http://" + app.Addr().String()
	return box
}

// Mailing returns a console on the stack's store that sends
// mail to the server. It delivers nothing until it is started.
func (s *Stack) Mailing(box *mailtest.Inbox) *console.Console {
	s.Helper()
	app, err := console.New(console.Options{
		Config: config.Config{
			SecretKey: s.Secret, SessionTTL: time.Hour, ConsoleAddr: "127.0.0.1:0",
			ConsoleURL: "https://console.example",
			SMTPURL:    "smtp://" + box.Address, MailFrom: "Tollgate <tollgate@console.example>",
		},
		Store: s.Store, Log: slog.New(slog.NewTextHandler(s.Output(), nil)), Registry: prometheus.NewRegistry(),
		PasswordCost: s.Cost,
	})
	s.Must(err)
	return app
}
