package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tollgate/tollgate/e2e/stack"
)

// nginxConfig passes requests on over connections that it keeps. Bodies stay in memory and streams are not buffered, as
// a gateway needs it. $DIR is its folder, $ADDR its address, $UP the upstream's.
const nginxConfig = `
daemon off;
master_process off;
pid $DIR/nginx.pid;
error_log stderr warn;
worker_rlimit_nofile 20000;
events { worker_connections 16384; }
http {
  access_log off;
  client_body_temp_path $DIR/body;
  proxy_temp_path $DIR/proxy;
  fastcgi_temp_path $DIR/fastcgi;
  uwsgi_temp_path $DIR/uwsgi;
  scgi_temp_path $DIR/scgi;
  client_max_body_size 32m;
  client_body_buffer_size 256k;
  keepalive_requests 1000000000;
  upstream up { server $UP; keepalive 8192; keepalive_requests 1000000000; }
  server {
    listen $ADDR backlog=8192;
    location / {
      proxy_pass http://up;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`

// findNginx returns the path of nginx; "" if it is not installed.
func findNginx(flag string) string {
	for _, name := range []string{flag, "nginx", "/usr/sbin/nginx"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// startNginx starts nginx in front of the upstream, as one process, so that its CPU time is that of its process.
func (r *rig) startNginx(ctx context.Context, path string) error {
	port, err := r.ports.Reserve()
	if err != nil {
		return err
	}
	dir := filepath.Join(r.dir, "nginx")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	text := strings.NewReplacer("$DIR", dir, "$ADDR", port.Addr(), "$UP", r.upstream.addr).Replace(nginxConfig)
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return err
	}
	r.nginx = target{name: "nginx", addr: port.Addr(),
		process: stack.NewProcess("nginx", dir, path, "-p", dir, "-c", file, "-e", "stderr")}
	if err := r.nginx.restart(ctx); err != nil {
		return fmt.Errorf("nginx: %w", err)
	}
	return nil
}
