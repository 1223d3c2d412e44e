package event

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
)

// maxUncompressed bounds what one compressed event may unfold to; the server's
// own limit is max_allowed_packet, 1 GiB at most.
const maxUncompressed = 1 << 30

// uncompress undoes log_bin_compress: a byte whose lower three bits are the
// width of the big-endian length that follows and whose bits 4 to 6 are the algorithm
// (0: zlib), then the compressed bytes.
func uncompress(b []byte) ([]byte, error) {
	if len(b) < 1 {
		return nil, fmt.Errorf("%w: empty compressed body", ErrMalformed)
	}
	width, alg := int(b[0]&7), b[0]>>4&7
	if b[0]&0x80 == 0 || alg != 0 || width < 1 || width > 4 || len(b) < 1+width {
		return nil, fmt.Errorf("%w: compressed body starts with %#02x", ErrMalformed, b[0])
	}
	var size uint64
	for _, c := range b[1 : 1+width] {
		size = size<<8 | uint64(c)
	}
	if size > maxUncompressed {
		return nil, fmt.Errorf("%w: compressed body announces %d bytes", ErrMalformed, size)
	}
	z, err := zlib.NewReader(bytes.NewReader(b[1+width:]))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	defer z.Close()
	// The announced size is not trusted with an allocation: the buffer grows with what is there.
	var out bytes.Buffer
	n, err := io.Copy(&out, io.LimitReader(z, int64(size)+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if uint64(n) != size {
		return nil, fmt.Errorf("%w: compressed body announces %d bytes", ErrMalformed, size)
	}
	return out.Bytes(), nil
}
