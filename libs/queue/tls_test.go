package queue

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// newCertificates writes ca.pem, cert.pem and key.pem for 127.0.0.1 and localhost into a folder.
func newCertificates(t *testing.T) (dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour),
		IsCA:     true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"redis.example.com"},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for name, block := range map[string]*pem.Block{
		"ca.pem": {Type: "CERTIFICATE", Bytes: certificate}, "cert.pem": {Type: "CERTIFICATE", Bytes: certificate},
		"key.pem": {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The server requires a certificate of its clients.
func TestOpen_VerifiesTheServerAndShowsItsCertificate(t *testing.T) {
	t.Parallel()
	dir, port := newCertificates(t), freePort(t)
	newNode(t, "--tls-port", port, "--tls-ca-cert-file", dir+"/ca.pem", "--tls-cert-file", dir+"/cert.pem",
		"--tls-key-file", dir+"/key.pem")
	server, own := "rediss://127.0.0.1:"+port, "&tls_cert="+dir+"/cert.pem&tls_key="+dir+"/key.pem"
	for name, test := range map[string]struct {
		url    string
		accept bool
	}{
		"with all files": {server + "?tls_ca=" + dir + "/ca.pem" + own, true},
		"with the name of the certificate": {server + "?tls_server_name=redis.example.com&tls_ca=" + dir +
			"/ca.pem" + own, true},
		"with another name": {server + "?tls_server_name=other.example.com&tls_ca=" + dir + "/ca.pem" + own,
			false},
		"with the system's authorities": {server + "?" + own, false},
		"without a certificate":         {server + "?tls_ca=" + dir + "/ca.pem", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := check(t, test.url)
			if setting := (*SettingError)(nil); errors.As(err, &setting) || (err == nil) != test.accept {
				t.Errorf("got error %v", err)
			}
		})
	}
}
