package info

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

var compressed = []eval.Def{
	{Name: "COMPRESS", Min: 1, Max: 1, Bind: compress},
	{Name: "UNCOMPRESS", Min: 1, Max: 1, Bind: uncompress},
	{Name: "UNCOMPRESSED_LENGTH", Min: 1, Max: 1, Bind: uncompressedLength},
}

// What COMPRESS makes begins with the length of the text in four bytes, the lowest first; its two highest bits do not count.
const (
	lengthBytes = 4
	lengthMask  = 1<<30 - 1
)

// statedLength is the length that a compressed text says it has; a text that is too short is warned of.
func statedLength(f *eval.Frame, s []byte) (uint64, bool) {
	if len(s) <= lengthBytes {
		f.Warn(mysqlerr.ZlibDataError)
		return 0, false
	}
	return uint64(binary.LittleEndian.Uint32(s) & lengthMask), true
}

func uncompressedLength(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	return eval.Map1("uncompressed_length", types.LongType(10).OrNull(), func(f *eval.Frame, s []byte) (int64, bool) {
		if len(s) == 0 {
			return 0, false
		}
		n, ok := statedLength(f, s)
		return int64(n), !ok
	}, b.ToText(args[0])), nil
}

// uncompress makes no more than the length that the text states, and nothing if that is more than max_allowed_packet.
func uncompress(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	t := binaryText(b.Scratch.MaxPacket)
	return eval.Map1("uncompress", t, func(f *eval.Frame, s []byte) ([]byte, bool) {
		if len(s) == 0 {
			return nil, false
		}
		n, ok := statedLength(f, s)
		if !ok {
			return nil, true
		}
		if n > f.MaxPacket {
			f.Warn(mysqlerr.TooBigForUncompress, f.MaxPacket)
			return nil, true
		}
		out, err := inflate(s[lengthBytes:], n)
		switch {
		case errors.Is(err, errRoom):
			f.Warn(mysqlerr.ZlibBufferError)
		case err != nil:
			f.Warn(mysqlerr.ZlibDataError)
		}
		return out, err != nil
	}, b.ToText(args[0])), nil
}

// Why a compressed text is refused; an empty one is not compressed at all, so that none states the length 0.
var (
	errRoom  = errors.New("info: a compressed text is longer than it says")
	errEmpty = errors.New("info: a compressed text says that it is empty")
)

func inflate(s []byte, length uint64) ([]byte, error) {
	r, err := zlib.NewReader(bytes.NewReader(s))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var out bytes.Buffer // grows with what there is, not with what the length states
	n, err := io.Copy(&out, io.LimitReader(r, int64(length)+1))
	switch {
	case length == 0:
		return nil, errEmpty
	case uint64(n) > length:
		return nil, errRoom
	case err != nil && uint64(n) == length && errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errRoom
	}
	return out.Bytes(), err
}

// compress is COMPRESS. Its bytes are a stream of zlib, but not those that MariaDB's library makes of the text, and so may be their number;
// both servers read what the other one has made.
func compress(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	x := b.ToText(args[0])
	t := binaryText(byteLength(x)*120/100 + 12)
	return eval.Map1("compress", t, func(f *eval.Frame, s []byte) ([]byte, bool) {
		if len(s) == 0 {
			return []byte{}, false
		}
		if len(s) > lengthMask {
			f.FailWith(mysqlerr.NotYet("COMPRESS of more than a gigabyte"))
			return nil, true
		}
		out := bytes.NewBuffer(binary.LittleEndian.AppendUint32(nil, uint32(len(s))))
		w := zlib.NewWriter(out)
		for len(s) > 0 && !interrupted(f) {
			n := min(len(s), compressStep)
			_, _ = w.Write(s[:n]) // a buffer takes all
			s = s[n:]
		}
		_ = w.Close()
		if packed := out.Bytes(); packed[len(packed)-1] == ' ' {
			out.WriteByte('.') // a column may lose spaces at the end
		}
		return out.Bytes(), f.Failed()
	}, x), nil
}

// compressStep is how many bytes are compressed until somebody is asked whether the statement is to end.
const compressStep = 1 << 20
