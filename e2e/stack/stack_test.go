package stack

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// short skips a test that runs a server where the tests run with -short.
func short(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: it runs programs, services or containers")
	}
}

func needs(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, ErrMissing) && os.Getenv("TEST_REQUIRE") != "all" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func testDir(t *testing.T) string {
	t.Helper()
	dir, err := workDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func TestPostgresComesBackWithItsRows(t *testing.T) {
	short(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	p, err := newPostgres(ctx, testDir(t))
	needs(t, err)
	defer p.Kill()
	exec := func(sql string) error {
		conn, err := pgx.Connect(ctx, p.URL)
		if err != nil {
			return err
		}
		defer conn.Close(ctx) //nolint:errcheck // a test's connection
		_, err = conn.Exec(ctx, sql)
		return err
	}
	if err := exec("CREATE TABLE things (id int)"); err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := exec("SELECT 1"); err == nil {
		t.Fatal("it answers after its stop")
	}
	if err := p.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if err := exec("INSERT INTO things VALUES (1)"); err != nil {
		t.Error(err)
	}
}

func TestRedisStopsAndStarts(t *testing.T) {
	short(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := newRedis(ctx, testDir(t))
	needs(t, err)
	defer r.Kill()
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := r.ping(ctx); err == nil {
		t.Fatal("it answers after its stop")
	}
	if err := r.Start(ctx); err != nil {
		t.Error(err)
	}
}

func TestProcessThatEndsAtItsStartSaysWhy(t *testing.T) {
	p := NewProcess("sh", t.TempDir(), "/bin/sh", "-c", "echo no such luck; exit 3")
	if err := p.Launch(); err != nil {
		t.Fatal(err)
	}
	err := p.Await(context.Background(), func(context.Context) error { return errors.New("not ready") })
	if err == nil || !strings.Contains(err.Error(), "no such luck") {
		t.Errorf("got %v", err)
	}
	if p.Running() {
		t.Error("it still runs")
	}
}

func TestProcessThatIgnoresItsEndIsKilled(t *testing.T) {
	p := NewProcess("sh", t.TempDir(), "/bin/sh", "-c", "trap '' INT; echo ready; while :; do sleep 0.1; done")
	if err := p.Launch(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := p.Await(ctx, func(context.Context) error {
		if p.Log() == "" {
			return errors.New("not ready")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	short, cancelShort := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancelShort()
	if err := p.End(short, os.Interrupt); err == nil || p.Running() {
		t.Errorf("end: %v, running %t", err, p.Running())
	}
}
