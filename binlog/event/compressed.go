package event

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"sync"
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
	z, err := inflater(b[1+width:])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	defer inflaters.Put(z)
	// The announced size is not trusted with an allocation: the buffer grows with what is there.
	var out bytes.Buffer
	out.Grow(int(min(size+bytes.MinRead, inflateRoom)))
	n, err := io.Copy(&out, io.LimitReader(z, int64(size)+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if uint64(n) != size {
		return nil, fmt.Errorf("%w: compressed body announces %d bytes", ErrMalformed, size)
	}
	return out.Bytes(), nil
}

// inflateRoom is the largest announced size that is allocated before anything is there.
const inflateRoom = 16 << 10

// inflaters keeps zlib readers: each has 40 KiB of tables and window, and most events are small.
var inflaters sync.Pool

// inflater gives a zlib reader of b, which goes back into the pool after use, also after an error of its Read.
func inflater(b []byte) (io.ReadCloser, error) {
	z, ok := inflaters.Get().(io.ReadCloser)
	if !ok {
		return zlib.NewReader(bytes.NewReader(b))
	}
	return z, z.(zlib.Resetter).Reset(bytes.NewReader(b), nil)
}
