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

// short skips a test that runs a server if the tests run with -short.
func short(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: it runs programs, services or containers")
	}
}

// needs skips the test if err means that a program is not installed, unless TEST_REQUIRE=all; other errors fail
// the test.
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

func TestPostgres_KeepsItsRowsAcrossAStop(t *testing.T) {
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
		t.Fatal("Postgres responds after Stop")
	}
	if err := p.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if err := exec("INSERT INTO things VALUES (1)"); err != nil {
		t.Error(err)
	}
}

func TestRedis_StartsAgainAfterAStop(t *testing.T) {
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
		t.Fatal("Redis responds after Stop")
	}
	if err := r.Start(ctx); err != nil {
		t.Error(err)
	}
}

func TestAwait_ReportsTheOutputOfAProcessThatEnds(t *testing.T) {
	p := NewProcess("sh", t.TempDir(), "/bin/sh", "-c", "echo no such device; exit 3")
	if err := p.Launch(); err != nil {
		t.Fatal(err)
	}
	err := p.Await(context.Background(), func(context.Context) error { return errors.New("not ready") })
	if err == nil || !strings.Contains(err.Error(), "no such device") {
		t.Errorf("got %v, want the output of the process", err)
	}
	if p.Running() {
		t.Error("the process still runs")
	}
}

func TestEnd_KillsAProcessThatIgnoresTheSignal(t *testing.T) {
	p := NewProcess("sh", t.TempDir(), "/bin/sh", "-c", "trap '' INT; echo ready; while :; do sleep 0.1; done")
	if err := p.Launch(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
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
		t.Errorf("End: got %v, running %t; want an error, not running", err, p.Running())
	}
}
