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

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
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

// Certificates and tokens are renewed while the server runs. What cannot be used leaves what
// was before, and streams go on as they began.
func TestWhatProtectsIsRenewed(t *testing.T) {
	cleared(t)
	first, second := newAuthority(t), newAuthority(t)
	dir := t.TempDir()
	s := &serving{host: "127.0.0.1", metricsPort: -1, drain: time.Second, reload: 10 * time.Millisecond}
	s.cert, s.key, s.tokens = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "cert.key"), filepath.Join(dir, "tokens.json")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	pair := func(a *authority) (texts [2]string) {
		cert, key := a.issue("server")
		for i, path := range []string{cert, key} {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			texts[i] = string(text)
		}
		return texts
	}
	old, fresh := pair(first), pair(second)
	write(s.cert, old[0])
	write(s.key, old[1])
	write(s.tokens, `[{"token": "old"}]`)
	address, _ := strings.CutPrefix(serve(t, s), "listening on grpc+tls://")

	path := &aflight.FlightDescriptor{Type: aflight.DescriptorPATH, Path: []string{"double"}}
	with := func(token string) context.Context {
		return metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+token)
	}
	connect := func(a *authority) aflight.Client {
		_, known := a.pool()
		config := &tls.Config{RootCAs: known, MinVersion: tls.VersionTLS12}
		client, err := aflight.NewClientWithMiddleware(address, nil, nil, grpc.WithTransportCredentials(credentials.NewTLS(config)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { client.Close() })
		return client
	}
	answers := func(a *authority, token string) codes.Code {
		_, err := connect(a).GetSchema(with(token), path)
		return status.Code(err)
	}
	begun, err := connect(first).DoExchange(with("old"))
	if err != nil {
		t.Fatal(err)
	}
	if got := answers(first, "old"); got != codes.OK {
		t.Fatal(got)
	}
	for _, c := range []struct {
		name      string
		do        func()
		of        *authority // whose certificate is shown then
		taken     string     // the token that is
		notTaken  string
		signature *authority // whose is not shown
	}{
		{"no tokens, which would be anyone's", func() { write(s.tokens, "[]") }, first, "old", "", second},
		{"no file of tokens", func() { os.Remove(s.tokens) }, first, "old", "new", second},
		{"another token", func() { write(s.tokens, `[{"token": "new"}]`) }, first, "new", "old", second},
		{"a certificate without its key", func() { write(s.cert, fresh[0]) }, first, "new", "old", second},
		{"its key", func() { write(s.key, fresh[1]) }, second, "new", "old", first},
	} {
		c.do()
		if !testkit.Settles(func() bool { return answers(c.of, c.taken) == codes.OK }) {
			t.Errorf("%s: %v", c.name, answers(c.of, c.taken))
		}
		time.Sleep(3 * s.reload) // what is refused is so at the next look, too
		if got := answers(c.of, c.taken); got != codes.OK {
			t.Errorf("%s, later: %v", c.name, got)
		}
		if got := answers(c.of, c.notTaken); got != codes.Unauthenticated {
			t.Errorf("%s: the token %q: %v", c.name, c.notTaken, got)
		}
		if got := answers(c.signature, c.taken); got != codes.Unavailable {
			t.Errorf("%s: whom another signed is trusted: %v", c.name, got)
		}
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float32}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Float32Builder).AppendValues([]float32{3}, nil)
	batch := b.NewRecordBatch()
	defer batch.Release()
	w := aflight.NewRecordWriter(begun, ipc.WithSchema(schema))
	w.SetFlightDescriptor(path)
	if err := w.Write(batch); err != nil {
		t.Fatal(err)
	}
	r, err := aflight.NewRecordReader(begun)
	if err != nil {
		t.Fatalf("the stream that began before: %v", err)
	}
	defer r.Release()
	if !r.Next() || r.RecordBatch().Column(0).(*array.Float32).Value(0) != 6 {
		t.Errorf("the stream that began before: %v", r.Err())
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
		{"clients' certificates without TLS", serving{host: "127.0.0.1", clientCAs: ca}, "--tls-client-ca needs --tls-cert"},
		{"no certificate in the file", serving{host: "127.0.0.1", cert: cert, key: key, clientCAs: empty}, "holds no certificate"},
		{"no such tokens", serving{host: "127.0.0.1", tokens: empty + "none"}, "the tokens: "},
		{"no tokens in the file", serving{host: "127.0.0.1", tokens: empty}, empty + ": the tokens: "},
	} {
		_, _, err := c.s.options()
		if c.text == "" && err != nil || c.text != "" && (err == nil || !strings.Contains(err.Error(), c.text)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.text)
		}
	}
}
