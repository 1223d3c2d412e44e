package follow

import (
	"crypto/tls"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// cipherSuites are the cipher suites of TLS 1.2 and before that Go has, by OpenSSL's names, in which MASTER_SSL_CIPHER gives them; not the ones of RC4
// and 3DES.
var cipherSuites = map[string]uint16{
	"ECDHE-ECDSA-AES128-GCM-SHA256": tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
	"ECDHE-ECDSA-AES256-GCM-SHA384": tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
	"ECDHE-ECDSA-CHACHA20-POLY1305": tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
	"ECDHE-ECDSA-AES128-SHA":        tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA,
	"ECDHE-ECDSA-AES128-SHA256":     tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256,
	"ECDHE-ECDSA-AES256-SHA":        tls.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA,
	"ECDHE-RSA-AES128-GCM-SHA256":   tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	"ECDHE-RSA-AES256-GCM-SHA384":   tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	"ECDHE-RSA-CHACHA20-POLY1305":   tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
	"ECDHE-RSA-AES128-SHA":          tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA,
	"ECDHE-RSA-AES128-SHA256":       tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256,
	"ECDHE-RSA-AES256-SHA":          tls.TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA,
	"AES128-GCM-SHA256":             tls.TLS_RSA_WITH_AES_128_GCM_SHA256,
	"AES256-GCM-SHA384":             tls.TLS_RSA_WITH_AES_256_GCM_SHA384,
	"AES128-SHA":                    tls.TLS_RSA_WITH_AES_128_CBC_SHA,
	"AES128-SHA256":                 tls.TLS_RSA_WITH_AES_128_CBC_SHA256,
	"AES256-SHA":                    tls.TLS_RSA_WITH_AES_256_CBC_SHA,
}

// ciphers are those of a list, nil for an empty one: all that Go prefers. They count for TLS 1.2 and before, as in MariaDB, whose client restricts TLS 1.3 by
// a list of its suites only; Go cannot do that. OpenSSL leaves out what it does not know, and reads keywords; here they are errors, so that nothing
// weaker or other than was asked for is taken.
func ciphers(list string) (suites []uint16, err error) {
	if list == "" {
		return nil, nil
	}
	for name := range strings.SplitSeq(list, ":") {
		switch suite, ok := cipherSuites[name]; {
		case ok:
			suites = append(suites, suite)
		case strings.HasPrefix(name, "TLS_"):
			return nil, fmt.Errorf("MASTER_SSL_CIPHER: %s is of TLS 1.3, whose cipher suites cannot be chosen here; restrict them on the primary", name)
		default:
			return nil, fmt.Errorf("MASTER_SSL_CIPHER: %q is none of the known cipher suites: %s", name, strings.Join(slices.Sorted(maps.Keys(cipherSuites)), ":"))
		}
	}
	return suites, nil
}
