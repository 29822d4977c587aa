package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/goruntime/goruntime/goruntime/internal/testkit"
)

// authority signs certificates of a test.
type authority struct {
	t      *testing.T
	parent *x509.Certificate
	key    *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, key := a.sign(form)
	a.key = key
	var err error
	if a.parent, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return a
}

// sign makes a key and a certificate for it, which signs itself where there is no parent.
func (a *authority) sign(form *x509.Certificate) ([]byte, *ecdsa.PrivateKey) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	parent, signer := a.parent, a.key
	if parent == nil {
		parent, signer = form, key
	}
	der, err := x509.CreateCertificate(rand.Reader, form, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	return der, key
}

// issue writes a certificate for this machine, and its key, to files.
func (a *authority) issue(name string) (certificate, key string) {
	dir := a.t.TempDir()
	form := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, private := a.sign(form)
	text, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		a.t.Fatal(err)
	}
	certificate, key = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")
	a.write(certificate, "CERTIFICATE", der)
	a.write(key, "EC PRIVATE KEY", text)
	return certificate, key
}

func (a *authority) write(path, kind string, text []byte) {
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: text}), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// pool writes the authority's own certificate and returns where, and who trusts it.
func (a *authority) pool() (string, *x509.CertPool) {
	path := filepath.Join(a.t.TempDir(), "ca.pem")
	a.write(path, "CERTIFICATE", a.parent.Raw)
	pool := x509.NewCertPool()
	pool.AddCert(a.parent)
	return path, pool
}

// serve runs the command until the test ends and returns its first line.
func serve(t *testing.T, s *serving) string {
	t.Helper()
	testkit.NoLeaks(t)
	dir := testkit.ModelFolder(t, "../../../tests/models/double.onnx", "double.onnx")
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = in
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.run(ctx, dir) }()
	line, err := bufio.NewReader(out).ReadString('\n')
	os.Stdout = stdout
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		in.Close()
		out.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// With --tls-client-ca only clients whose certificates that authority signed are served.
func TestClientsShowCertificates(t *testing.T) {
	cleared(t)
	ours, others := newAuthority(t), newAuthority(t)
	ca, known := ours.pool()
	s := &serving{host: "127.0.0.1", metricsPort: -1, drain: time.Second, clientCAs: ca}
	s.cert, s.key = ours.issue("server")
	address, ok := strings.CutPrefix(serve(t, s), "listening on grpc+tls://")
	if !ok {
		t.Fatalf("the first line is %q", address)
	}
	for _, c := range []struct {
		name string
		of   *authority // nil shows none
		want codes.Code
	}{{"a certificate of the authority", ours, codes.OK}, {"none", nil, codes.Unavailable}, {"one of another authority", others, codes.Unavailable}} {
		config := &tls.Config{RootCAs: known, MinVersion: tls.VersionTLS12}
		if c.of != nil {
			pair, err := tls.LoadX509KeyPair(c.of.issue("client"))
			if err != nil {
				t.Fatal(err)
			}
			config.Certificates = []tls.Certificate{pair}
		}
		client, err := aflight.NewClientWithMiddleware(address, nil, nil, grpc.WithTransportCredentials(credentials.NewTLS(config)))
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.GetSchema(context.Background(), &aflight.FlightDescriptor{Type: aflight.DescriptorPATH, Path: []string{"double"}})
		if status.Code(err) != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		client.Close()
	}
}

func TestWhatProtectsIsReadOrRefused(t *testing.T) {
	a := newAuthority(t)
	ca, _ := a.pool()
	cert, key := a.issue("server")
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		s    serving
		text string
	}{
		{"a public address alone", serving{host: "0.0.0.0"}, "0.0.0.0 is no loopback address"},
		{"with a certificate, open to all", serving{host: "0.0.0.0", cert: cert, key: key}, "0.0.0.0 is no loopback address"},
		{"with a certificate, for certificates", serving{host: "0.0.0.0", cert: cert, key: key, clientCAs: ca}, ""},
		{"said to be insecure", serving{host: "0.0.0.0", insecure: true}, ""},
		{"a certificate without a key", serving{host: "127.0.0.1", cert: cert}, "belong together"},
		{"clients' certificates without TLS", serving{host: "127.0.0.1", clientCAs: ca}, "--tls-client-ca needs a readable file and --tls-cert"},
		{"no certificate in the file", serving{host: "127.0.0.1", cert: cert, key: key, clientCAs: empty}, "holds no certificate"},
		{"no such tokens", serving{host: "127.0.0.1", tokens: empty + "none"}, "the tokens: "},
		{"no tokens in the file", serving{host: "127.0.0.1", tokens: empty}, "the tokens in "},
	} {
		_, err := c.s.options()
		if c.text == "" && err != nil || c.text != "" && (err == nil || !strings.Contains(err.Error(), c.text)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.text)
		}
	}
}
