package row

import "crypto/sha256"

const (
	// digestFrom is how long a text's component may be in a part of which long ones are digests.
	digestFrom = 512
	// keyDigest begins the component of a text that is longer, instead of keyPresent: the SHA-256 of the component follows.
	keyDigest = 0x02
)

// digested makes the component that begins at a place in dst a digest if it is long.
func digested(dst []byte, start int) []byte {
	if len(dst)-start <= digestFrom {
		return dst
	}
	sum := sha256.Sum256(dst[start:])
	return append(append(dst[:start], keyDigest), sum[:]...)
}
