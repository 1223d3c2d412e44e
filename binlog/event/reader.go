package event

import "encoding/binary"

// reader takes little-endian fields off a body. After running out of bytes it
// is failed and returns zeros, so that a decoder checks once, at its end.
type reader struct {
	b      []byte
	failed bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.failed, r.b = true, nil
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) u8() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u16() uint16 {
	if b := r.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (r *reader) u24() uint32 {
	if b := r.take(3); b != nil {
		return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
	}
	return 0
}

func (r *reader) u32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u48() uint64 {
	if b := r.take(6); b != nil {
		return uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint16(b[4:]))<<32
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// packed is the length-encoded integer of the client protocol.
func (r *reader) packed() uint64 {
	switch c := r.u8(); c {
	case 252:
		return uint64(r.u16())
	case 253:
		return uint64(r.u24())
	case 254:
		return r.u64()
	case 251, 255: // NULL and error markers are no lengths
		r.failed, r.b = true, nil
		return 0
	default:
		return uint64(c)
	}
}

// packedLen is packed for a length or count that the rest of the body has to hold.
func (r *reader) packedLen() int {
	n := r.packed()
	if n > uint64(len(r.b)) {
		r.failed, r.b = true, nil
		return 0
	}
	return int(n)
}

func appendPacked(dst []byte, n uint64) []byte {
	switch {
	case n < 251:
		return append(dst, byte(n))
	case n < 1<<16:
		return append(dst, 252, byte(n), byte(n>>8))
	case n < 1<<24:
		return append(dst, 253, byte(n), byte(n>>8), byte(n>>16))
	default:
		return binary.LittleEndian.AppendUint64(append(dst, 254), n)
	}
}
