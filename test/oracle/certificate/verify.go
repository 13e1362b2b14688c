// Verify answers, for every case that it reads from standard input, what a Go client says about the certificates that
// a server presents: crypto/x509 itself, in the order of crypto/tls verifyServerCertificate, with the caBundle loaded
// as client-go loads it. One JSON object per line in, one JSON string per line out; "" means accepted.
package main

import (
	"bufio"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"time"
)

type question struct {
	Presented [][]byte  `json:"presented"`
	CABundle  []byte    `json:"caBundle"`
	Host      string    `json:"host"`
	Now       time.Time `json:"now"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var asked question
		if err := json.Unmarshal(in.Bytes(), &asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		answer := ""
		if err := verify(asked); err != nil {
			answer = err.Error()
		}
		if err := out.Encode(answer); err != nil {
			os.Exit(1)
		}
	}
	if err := in.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func verify(asked question) error {
	var roots *x509.CertPool // of the system
	if len(asked.CABundle) > 0 {
		roots = x509.NewCertPool()
		if !roots.AppendCertsFromPEM(asked.CABundle) {
			return fmt.Errorf("unable to load root certificates: %w", whyNone(asked.CABundle))
		}
	}
	intermediates := x509.NewCertPool()
	var leaf *x509.Certificate
	for _, der := range asked.Presented {
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			return errors.New("tls: failed to parse certificate from server: " + err.Error())
		}
		if key, ok := certificate.PublicKey.(*rsa.PublicKey); ok && key.N.BitLen() > 8192 {
			return errors.New("tls: server sent certificate containing RSA key larger than 8192 bits")
		}
		if leaf == nil {
			leaf = certificate
		} else {
			intermediates.AddCert(certificate)
		}
	}
	_, err := leaf.Verify(x509.VerifyOptions{
		Roots:         roots,
		Intermediates: intermediates,
		DNSName:       asked.Host,
		CurrentTime:   asked.Now,
	})
	if err != nil {
		return &tls.CertificateVerificationError{Err: err}
	}
	return useKey(leaf.PublicKey)
}

// useKey says what the handshake says about the key with which the server signs it.
func useKey(key crypto.PublicKey) error {
	switch key := key.(type) {
	case *rsa.PublicKey:
		digest := sha256.Sum256(nil)
		err := rsa.VerifyPSS(key, crypto.SHA256, digest[:], make([]byte, key.Size()), nil)
		if err != nil && !errors.Is(err, rsa.ErrVerification) {
			return fmt.Errorf("tls: invalid signature by the server certificate: %w", err)
		}
		return nil
	case *ecdsa.PublicKey, ed25519.PublicKey:
		return nil
	default:
		return fmt.Errorf("tls: server's certificate contains an unsupported type of public key: %T", key)
	}
}

// whyNone is client-go's answer to a bundle without a certificate.
func whyNone(bundle []byte) error {
	for len(bundle) > 0 {
		var block *pem.Block
		block, bundle = pem.Decode(bundle)
		if block == nil {
			return errors.New("unable to parse bytes as PEM block")
		}
		if block.Type != "CERTIFICATE" || len(block.Headers) != 0 {
			continue
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return fmt.Errorf("failed to parse certificate: %w", err)
		}
	}
	return errors.New("no valid certificate authority data seen")
}
