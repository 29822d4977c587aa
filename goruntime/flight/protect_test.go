package flight

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"testing"
	"time"

	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

func TestTokens(t *testing.T) {
	tokens := []Token{{Secret: "all", Admin: true}, {Secret: "one", Models: []string{"double"}}}
	r := start(t, Options{Tokens: tokens}, nil, "double", "chain")
	c := r.connect(nil)
	for _, k := range []struct {
		token, model string
		code         codes.Code
	}{
		{"", "double", codes.Unauthenticated},
		{"wrong", "double", codes.Unauthenticated},
		{"one", "double", codes.OK},
		{"one", "chain", codes.PermissionDenied},
		{"all", "chain", codes.OK},
	} {
		ctx := context.Background()
		if k.token != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+k.token)
		}
		x := r.talk(ctx, c, k.model)
		_, err := x.ask("", 1)
		if status.Code(err) != k.code {
			t.Errorf("token %q, model %s: %v, want %v", k.token, k.model, err, k.code)
		}
		x.end()
	}
	for token, want := range map[string]codes.Code{"one": codes.PermissionDenied, "all": codes.OK} {
		ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+token)
		s, err := c.DoAction(ctx, &aflight.Action{Type: "refresh"})
		if err == nil {
			_, err = s.Recv()
		}
		if status.Code(err) != want {
			t.Errorf("refresh with %q: %v, want %v", token, err, want)
		}
	}
}

func TestTLS(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, Options{TLS: &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, NextProtos: []string{"h2"}}}, nil, "double")
	known := x509.NewCertPool()
	known.AddCert(certificate)
	k := r.talk(context.Background(), r.connect(credentials.NewClientTLSFromCert(known, "")), "double")
	defer k.end()
	if got, err := k.ask("", 4); err != nil || got[0] != 8 {
		t.Errorf("over TLS: %v, %v", got, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if s, err := r.connect(nil).DoExchange(ctx); err == nil {
		if _, err := s.Recv(); err == nil {
			t.Error("plain text is answered")
		}
	}
}

// A token that may use one model sees nothing of the others by any call.
func TestTokensHideOtherModels(t *testing.T) {
	r := start(t, Options{Tokens: []Token{{Secret: "one", Models: []string{"double"}}}}, nil, "double", "chain")
	c := r.connect(nil)
	ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer one")
	path := func(model string) *aflight.FlightDescriptor {
		return &aflight.FlightDescriptor{Type: aflight.DescriptorPATH, Path: []string{model}}
	}
	act := func(kind, body string) error {
		s, err := c.DoAction(ctx, &aflight.Action{Type: kind, Body: []byte(body)})
		if err == nil {
			_, err = s.Recv()
		}
		return err
	}
	schema := func(model string) error {
		_, err := c.GetSchema(ctx, path(model))
		return err
	}
	about := func(model string) error {
		_, err := c.GetFlightInfo(ctx, path(model))
		return err
	}
	for name, k := range map[string]struct {
		err  error
		want codes.Code
	}{
		"its schema": {schema("double"), codes.OK}, "another's schema": {schema("chain"), codes.PermissionDenied},
		"its description": {about("double"), codes.OK}, "another's description": {about("chain"), codes.PermissionDenied},
		"its statistics": {act("stats", `{"model": "double"}`), codes.OK}, "another's statistics": {act("stats", `{"model": "chain"}`), codes.PermissionDenied},
		"its unloading": {act("unload", `{"model": "double"}`), codes.PermissionDenied}, "loading": {act("load", `{}`), codes.PermissionDenied},
		"looking at the folder": {act("refresh", ""), codes.PermissionDenied}, "health": {act("health", ""), codes.OK},
	} {
		if status.Code(k.err) != k.want {
			t.Errorf("%s: %v, want %v", name, k.err, k.want)
		}
	}
	list, err := c.ListFlights(ctx, &aflight.Criteria{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for {
		info, err := list.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, info.FlightDescriptor.Path[0])
	}
	if len(names) != 1 || names[0] != "double" {
		t.Errorf("models %v are listed, want double", names)
	}
}
