package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/goruntime/goruntime/goruntime/flight"
)

// protection is the files that protect a server, and what they held when they were
// read last.
//
// Concurrency: read is called by one goroutine at a time; handshakes see config.
type protection struct {
	cert, key, clientCAs, tokens string // paths, empty for none

	text   *[4]string // of the files, nil before the first read
	failed string     // the error of the last read
	config atomic.Pointer[tls.Config]
	list   []flight.Token
}

// read reads the files, and reports whether they hold something else than before. Where
// they cannot be read, or hold what is refused, all stays as it was; the same error again
// is told as no change.
func (p *protection) read() (changed bool, err error) {
	text, err := p.files()
	if err == nil && (p.text == nil || text != *p.text) {
		changed, err = true, p.take(text)
	}
	if err == nil {
		p.text, p.failed = &text, ""
		return changed, nil
	}
	if err.Error() == p.failed {
		return false, nil
	}
	p.failed = err.Error()
	return false, err
}

// files returns the text of each file.
func (p *protection) files() (text [4]string, err error) {
	for i, f := range []struct{ path, what string }{{p.cert, "the certificate"}, {p.key, "the key"}, {p.clientCAs, "the clients' authorities"}, {p.tokens, "the tokens"}} {
		if f.path == "" {
			continue
		}
		b, err := os.ReadFile(f.path)
		if err != nil {
			return text, fmt.Errorf("%s: %w", f.what, err)
		}
		text[i] = string(b)
	}
	return text, nil
}

// take takes the files' text over if all of it is valid.
func (p *protection) take(text [4]string) error {
	var config *tls.Config
	if p.cert != "" {
		pair, err := tls.X509KeyPair([]byte(text[0]), []byte(text[1]))
		if err != nil {
			return fmt.Errorf("the certificate: %w", err)
		}
		config = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"}}
	}
	if p.clientCAs != "" {
		config.ClientCAs, config.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
		if !config.ClientCAs.AppendCertsFromPEM([]byte(text[2])) {
			return fmt.Errorf("%s holds no certificate", p.clientCAs)
		}
	}
	var list []flight.Token
	if p.tokens != "" {
		var err error
		if list, err = flight.ParseTokens([]byte(text[3])); err != nil {
			return fmt.Errorf("%s: %w", p.tokens, err)
		}
	}
	p.config.Store(config)
	p.list = list
	return nil
}

// check refuses paths that are none without others.
func (p *protection) check() error {
	if (p.cert == "") != (p.key == "") {
		return errors.New("--tls-cert and --tls-key belong together")
	}
	if p.clientCAs != "" && p.cert == "" {
		return errors.New("--tls-client-ca needs --tls-cert")
	}
	return nil
}

// tls returns the configuration of a listener, nil without a certificate: each handshake
// takes what was read last.
func (p *protection) tls() *tls.Config {
	first := p.config.Load()
	if first == nil {
		return nil
	}
	whole := first.Clone()
	whole.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return p.config.Load(), nil }
	return whole
}
