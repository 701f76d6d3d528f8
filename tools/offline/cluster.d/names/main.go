// Command names is the DNS server of a cluster. It answers for names of services with the address that the
// API server reports, and forwards all other questions to the machine's own resolver. It listens on port 53
// of ADDRESS.
//
//	names ADDRESS
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/miekg/dns"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	domain   = ".cluster.local."
	patience = 5 * time.Second
)

// resolver answers DNS questions.
type resolver struct {
	cluster kubernetes.Interface
	outside string // host and port of the machine's resolver
}

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "names:", err)
		os.Exit(1)
	}
}

// serve runs the servers until one of them fails.
func serve() error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	cluster, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	machine, err := dns.ClientConfigFromFile("/etc/resolv.conf")
	if err != nil {
		return err
	}
	r := &resolver{cluster: cluster}
	if len(machine.Servers) > 0 {
		r.outside = net.JoinHostPort(machine.Servers[0], machine.Port)
	}
	failed := make(chan error)
	for _, network := range []string{"udp", "tcp"} {
		server := &dns.Server{Addr: net.JoinHostPort(os.Args[1], "53"), Net: network, Handler: r}
		go func() { failed <- server.ListenAndServe() }()
	}
	return <-failed
}

// ServeDNS answers one question. It implements dns.Handler.
func (r *resolver) ServeDNS(w dns.ResponseWriter, asked *dns.Msg) {
	var reply *dns.Msg
	if len(asked.Question) == 1 && strings.HasSuffix(strings.ToLower(asked.Question[0].Name), domain) {
		reply = r.inside(asked)
	} else {
		client := &dns.Client{Net: w.LocalAddr().Network(), Timeout: patience}
		var err error
		if reply, _, err = client.Exchange(asked, r.outside); err != nil {
			reply = new(dns.Msg).SetRcode(asked, dns.RcodeServerFailure)
		}
	}
	if err := w.WriteMsg(reply); err != nil {
		fmt.Fprintln(os.Stderr, "names:", err)
	}
}

// inside answers for SERVICE.NAMESPACE.svc.cluster.local. Headless services and other names do not exist for
// it.
func (r *resolver) inside(asked *dns.Msg) *dns.Msg {
	question := asked.Question[0]
	labels := strings.Split(strings.TrimSuffix(strings.ToLower(question.Name), domain), ".")
	if len(labels) != 3 || labels[2] != "svc" {
		return new(dns.Msg).SetRcode(asked, dns.RcodeNameError)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	service, err := r.cluster.CoreV1().Services(labels[1]).Get(ctx, labels[0], metav1.GetOptions{})
	switch {
	case errors.IsNotFound(err), err == nil && service.Spec.ClusterIP == corev1.ClusterIPNone:
		return new(dns.Msg).SetRcode(asked, dns.RcodeNameError)
	case err != nil:
		return new(dns.Msg).SetRcode(asked, dns.RcodeServerFailure)
	}
	reply := new(dns.Msg).SetReply(asked)
	if address := net.ParseIP(service.Spec.ClusterIP); address.To4() != nil && question.Qtype == dns.TypeA {
		reply.Answer = []dns.RR{&dns.A{Hdr: dns.RR_Header{Name: question.Name, Rrtype: dns.TypeA, Class: dns.ClassINET,
			Ttl: 5}, A: address}}
	}
	return reply
}
