package readme

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/config"
)

// Caddy keeps idle connections as long as relay and console do, so each of its proxies needs a shorter time.
func TestProxiesPage_CaddyClosesIdleConnectionsFirst(t *testing.T) {
	t.Parallel()
	_, caddyfile, _ := strings.Cut(read(t, "docs/proxies.md"), "<!-- file: Caddyfile -->")
	caddyfile, _, _ = strings.Cut(caddyfile, "\n## ")
	field, _ := reflect.TypeFor[config.Config]().FieldByName("ClientIdleTimeout")
	closed, err := time.ParseDuration(field.Tag.Get("envDefault"))
	if err != nil {
		t.Fatal(err)
	}
	keeps := regexp.MustCompile(`\tkeepalive (\S+)`).FindAllStringSubmatch(caddyfile, -1)
	if proxies := strings.Count(caddyfile, "\treverse_proxy "); proxies == 0 || len(keeps) != proxies {
		t.Errorf("%d of %d proxies have a keepalive", len(keeps), proxies)
	}
	for _, keep := range keeps {
		if kept, err := time.ParseDuration(keep[1]); err != nil || kept >= closed {
			t.Errorf("keepalive %s is not shorter than %v", keep[1], closed)
		}
	}
}
