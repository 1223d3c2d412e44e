package follow

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

// TestRevocations: each certificate of a chain is looked up in its issuer's lists; one that says less than it seems to is not taken for one.
func TestRevocations(t *testing.T) {
	root := peer.NewAuthority(t)
	below := root.Below("below")
	leafFile, _ := below.Issue(&x509.Certificate{Subject: pkix.Name{CommonName: "leaf"}})
	leaf, middle, top := peer.Certificate(t, leafFile), peer.Certificate(t, below.File), peer.Certificate(t, root.File)
	list := func(a *peer.Authority, change func(l *x509.RevocationList), numbers ...*big.Int) *x509.RevocationList {
		l, err := x509.ParseRevocationList(a.List(time.Hour, change, numbers...))
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	critical := func(l *x509.RevocationList) {
		l.ExtraExtensions = []pkix.Extension{{Id: []int{2, 5, 29, 28}, Critical: true, Value: []byte{0x30, 0}}}
	}
	later := func(l *x509.RevocationList) { l.ThisUpdate = time.Now().Add(time.Minute) }
	for _, c := range []struct {
		name  string
		lists revocations
		text  string // "" if it is believed
	}{
		{"nothing revoked", revocations{list(root, nil), list(below, nil)}, ""},
		{"no list of the lower authority", revocations{list(root, nil)}, "no revocation list of CN=below"},
		{"no list of the root", revocations{list(below, nil)}, "no revocation list of CN=authority"},
		{"the leaf", revocations{list(root, nil), list(below, nil, leaf.SerialNumber)}, "CN=leaf with the serial number"},
		{"the authority below", revocations{list(root, nil, middle.SerialNumber), list(below, nil)}, "CN=below with the serial number"},
		{"its number at another authority", revocations{list(root, nil, leaf.SerialNumber), list(below, nil)}, ""},
		{"of some only", revocations{list(root, nil), list(below, critical)}, "critical extension (2.5.29.28)"},
		{"of some only, and all", revocations{list(root, nil), list(below, critical), list(below, nil)}, ""},
		{"not yet", revocations{list(root, later), list(below, nil)}, "is not of now"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.lists.check([][]*x509.Certificate{{leaf, middle, top}}, time.Now())
			if c.text == "" && err != nil || c.text != "" && (err == nil || !strings.Contains(err.Error(), c.text)) {
				t.Errorf("got %v, want %q", err, c.text)
			}
		})
	}
}
