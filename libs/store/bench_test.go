package store_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// BenchmarkRecordEvents reports how many events are recorded per second and, on the private Postgres server,
// the CPU time that the server spends on an event.
func BenchmarkRecordEvents(b *testing.B) {
	for _, size := range []int{100, 500, 2000} {
		b.Run(fmt.Sprintf("postgres/batch=%d", size),
			func(b *testing.B) { benchRecord(b, storetest.Postgres(b), size) })
		b.Run(fmt.Sprintf("sqlite/batch=%d", size), func(b *testing.B) { benchRecord(b, storetest.SQLite(b), size) })
	}
}

func benchRecord(b *testing.B, url string, size int) {
	s := storetest.Open(b, db.Options{URL: url})
	customers := make([]storetest.Customer, 20)
	for i := range customers {
		customers[i] = storetest.NewCustomer(b, s, fmt.Sprintf("bench-%d", i))
	}
	_, channel := storetest.AddModel(b, s, "m1")
	relay := storetest.NewID()
	batch := func() []usage.Event {
		events := make([]usage.Event, size)
		for i := range events {
			f := &customers[i%len(customers)]
			events[i] = f.Call(f.Member, "m1", 1)
			events[i].ChannelID, events[i].UpstreamModel, events[i].RelayID = channel.ID, "up-m1", relay
			events[i].PriceID, events[i].RuleID, events[i].Leased = channel.ID, channel.ID, []uuid.UUID{f.Tenant.ID}
			events[i].Attempts = []usage.Attempt{{ChannelID: channel.ID, Status: 200, Elapsed: time.Second}}
		}
		return events
	}
	for i := range customers {
		storetest.Need(s.Quota.GrantLease(background, platform, relay, quota.AccountRef{ID: customers[i].Tenant.ID},
			quota.LeaseRequest{Stamp: 1, Need: money.USD}))(b)
	}
	storetest.Need(s.Metering.RecordEvents(background, platform, relay, batch()))(b)
	var spent time.Duration
	for b.Loop() {
		b.StopTimer()
		events, before := batch(), serverCPU(b)
		b.StartTimer()
		if n := storetest.Need(s.Metering.RecordEvents(background, platform, relay, events))(b); n != size {
			b.Fatalf("got %d recorded events, want %d", n, size)
		}
		b.StopTimer()
		spent += serverCPU(b) - before
		b.StartTimer()
	}
	total := float64(b.N * size)
	b.ReportMetric(total/b.Elapsed().Seconds(), "events/s")
	if spent > 0 {
		b.ReportMetric(float64(spent.Microseconds())/total, "server-us/event")
	}
}

// BenchmarkDrainOutbox reports the CPU time of the server for each drained event, if hardly two events of a
// batch have the same token.
func BenchmarkDrainOutbox(b *testing.B) {
	const size, tokens = 2000, 1500
	s := storetest.Open(b, db.Options{URL: storetest.Postgres(b)})
	f, ids := storetest.NewCustomer(b, s, "bench"), make([]uuid.UUID, tokens)
	for i := range ids {
		ids[i] = storetest.NewID()
	}
	var spent time.Duration
	for b.Loop() {
		b.StopTimer()
		events := make([]usage.Event, size)
		for i := range events {
			events[i] = f.Call(f.Member, "m1", 1)
			events[i].TokenID = ids[i%tokens]
		}
		storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), events))(b)
		before := serverCPU(b)
		b.StartTimer()
		storetest.Need(s.Rollup.DrainOutbox(background, platform, 0))(b)
		b.StopTimer()
		spent += serverCPU(b) - before
		b.StartTimer()
	}
	b.ReportMetric(float64(spent.Microseconds())/float64(b.N*size), "server-us/event")
}

// serverCPU returns the user and system time of the private server: that of its postmaster, of the children
// that ended, and of the living children. It is 0 without a private server.
func serverCPU(b *testing.B) time.Duration {
	server := storetest.ServerPID()
	if server == 0 {
		return 0
	}
	const tick = 10 * time.Millisecond
	var ticks int
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		b.Fatal(err)
	}
	for _, stat := range stats {
		content, err := os.ReadFile(stat)
		if err != nil {
			continue // the process has ended
		}
		fields := bytes.Fields(content[bytes.LastIndexByte(content, ')')+1:])
		// Field numbers of /proc/PID/stat, see proc(5).
		number := func(i int) int { n, _ := strconv.Atoi(string(fields[i-3])); return n }
		switch {
		case filepath.Base(filepath.Dir(stat)) == strconv.Itoa(server):
			ticks += number(14) + number(15) + number(16) + number(17)
		case number(4) == server:
			ticks += number(14) + number(15)
		}
	}
	return time.Duration(ticks) * tick
}

// BenchmarkRead compares reads of tenants, which use row-level security, with the same reads of the platform,
// which do not.
func BenchmarkRead(b *testing.B) {
	s := storetest.Open(b, db.Options{URL: storetest.Postgres(b)})
	f := storetest.NewCustomer(b, s, "bench")
	for range 200 {
		storetest.CreateToken(b, s, f.Member)
	}
	for who, scope := range map[string]tenant.Scope{"platform": platform, "owner": f.AsOwner, "member": f.AsMember} {
		b.Run("token/"+who, func(b *testing.B) {
			for b.Loop() {
				storetest.Need(s.Token.Token(background, scope, f.Tokens[f.Member.ID].ID))(b)
			}
		})
		b.Run("tokens/"+who, func(b *testing.B) {
			for b.Loop() {
				storetest.Need(s.Token.Tokens(background, scope,
					tokendb.Query{TenantID: f.Tenant.ID, UserID: f.Member.ID}))(b)
			}
		})
		b.Run("logs/"+who, func(b *testing.B) {
			for b.Loop() {
				storetest.Need(s.Metering.UsageLogs(background, scope, metering.LogQuery{TenantID: f.Tenant.ID}))(b)
			}
		})
	}
}
