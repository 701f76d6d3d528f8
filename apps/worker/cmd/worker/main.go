// Command worker runs Tollgate's background work. See package apps/worker.
package main

import (
	"time"

	"github.com/tollgate/tollgate/apps/worker"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/mail"
	"github.com/tollgate/tollgate/libs/mailer"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/web"
)

// serve runs the worker until a signal arrives.
func serve(p *service.Program, _ string) error {
	rt, err := p.Open()
	if err != nil {
		return err
	}
	defer rt.Close()
	var sealer *seal.Sealer
	if !rt.Config.SecretKey.IsZero() {
		sealer = rt.Config.Sealer()
	}
	delivers, err := newMailer(rt, sealer)
	if err != nil {
		return err
	}
	w, err := worker.New(worker.Options{
		Store: rt.Store, Redis: rt.Redis, Log: rt.Log, Registry: rt.Registry, Grace: rt.Config.LeaseGrace,
		ReconcileEvery: rt.Config.ReconcileInterval, KeepLogs: time.Duration(rt.Config.UsageLogRetention),
		KeepAudit: time.Duration(rt.Config.AuditRetention), ForgetClients: rt.Config.ClientRetention == 0,
		Prices: worker.PriceSource{URL: rt.Config.PricesURL, SHA256: rt.Config.PricesChecksum,
			Every: rt.Config.PricesInterval},
		Export: worker.ExportTarget{
			URL: rt.Config.ExportURL, Region: rt.Config.ExportRegion, AccessKey: rt.Config.ExportAccessKeyID,
			SecretKey: rt.Config.ExportSecretAccessKey,
			Every:     rt.Config.ExportInterval, MaxLogs: rt.Config.ExportMaxLogs,
		},
		Sealer: sealer, Egress: address.Policy{Allow: rt.Config.EgressAllow}, Tracer: rt.Tracer, Mailer: delivers,
		ConsoleURL: rt.Config.ConsoleURL,
	})
	if err != nil {
		return err
	}
	ops := web.NewOps(rt.Config, web.OpsOptions{Registry: rt.Registry, Checks: w.Checks(), Log: rt.Log})
	return rt.Run(ops, w)
}

// newMailer returns nil if the worker has no SMTP server configured, or no secret key to unseal waiting mail.
// Then consoles deliver the mail.
func newMailer(rt *service.Runtime, sealer *seal.Sealer) (*mailer.Mailer, error) {
	if rt.Config.SMTPURL == "" || sealer == nil {
		return nil, nil //nolint:nilnil // a worker without a mailer is valid
	}
	sender, err := mail.New(mail.Options{URL: rt.Config.SMTPURL, From: rt.Config.MailFrom})
	if err != nil {
		return nil, err
	}
	return mailer.New(mailer.Options{
		Store: rt.Store, Sealer: sealer, Sender: sender, URL: rt.Config.ConsoleURL, Log: rt.Log, Registry: rt.Registry,
	})
}

func main() {
	service.Main(config.Worker,
		"Tollgate's background work: rollups, reconciliation, partitions, retention, probes, mail.",
		service.Command{Name: "serve", Help: "Run until a signal stops it (the default).", Run: serve})
}
