package event

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// appendPayload appends a TRANSACTION_PAYLOAD event; size is what it says that the events have.
func appendPayload(compression byte, size int, data []byte) []byte {
	ev, start := Begin(nil, Meta{}, TransactionPayload)
	four := func(n int) []byte { return binary.LittleEndian.AppendUint64([]byte{9, 0xfe}, uint64(n)) }
	ev = append(append(ev, 1), four(len(data))...)
	ev = append(ev, 77, 2, 1, 2) // of a later version
	if ev = append(ev, 2, 1, compression); compression == 0xff {
		ev = append(ev[:len(ev)-2], 3, 0xfc, 0xff, 0)
	}
	ev = append(append(append(ev, 3), four(size)...), 0)
	return End(append(ev, data...), start)
}

func compressed(t testing.TB, b []byte) []byte {
	w, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	return w.EncodeAll(b, nil)
}

// unchecksummed is an event as it is in a payload.
func unchecksummed(ev []byte) []byte {
	ev = bytes.Clone(ev[:len(ev)-ChecksumSize])
	binary.LittleEndian.PutUint32(ev[offSize:], uint32(len(ev)))
	return ev
}

func payloadOf(t testing.TB, ev []byte) (*Payload, error) {
	e, err := Decode(ev)
	if err != nil {
		return nil, err
	}
	p, ok := e.Body.(*Payload)
	require.True(t, ok)
	return p, nil
}

// unfold takes all events out of a payload.
func unfold(p *Payload, eventMax int) (events [][]byte, err error) {
	r, err := p.Open(eventMax)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		ev, err := r.Next()
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		events = append(events, ev)
	}
}

func TestPayload(t *testing.T) {
	one := unchecksummed(AppendXID(nil, Meta{ServerID: 1}, 5))
	two := unchecksummed(AppendQuery(nil, Meta{ServerID: 1}, Query{SQL: "SELECT 1"}))
	both := append(bytes.Clone(two), one...)
	for compression, data := range map[byte][]byte{PayloadZstd: compressed(t, both), PayloadPlain: both} {
		p, err := payloadOf(t, appendPayload(compression, len(both), data))
		require.NoError(t, err)
		require.EqualValues(t, len(both), p.Size)
		events, err := unfold(p, 1000)
		require.NoError(t, err)
		require.Equal(t, [][]byte{two, one}, events)
		_, err = unfold(p, len(two)-1)
		require.ErrorIs(t, err, ErrTooLarge)
	}
	zeros := compressed(t, make([]byte, 64<<20)) // 64 MiB in a few KiB
	huge := make([]byte, HeaderSize)
	binary.LittleEndian.PutUint32(huge[offSize:], 1<<30)
	for name, ev := range map[string][]byte{
		"less than it says":    appendPayload(0, len(both)+1, compressed(t, both)),
		"more than it says":    appendPayload(0, len(both)-len(one), compressed(t, both)),
		"cut within an event":  appendPayload(0, len(both)-1, compressed(t, both)),
		"cut short":            appendPayload(0, len(both), compressed(t, both)[:20]),
		"not zstd":             appendPayload(0, 100, []byte("not zstd at all")),
		"another method":       appendPayload(7, 100, both),
		"zeros":                appendPayload(0, 64<<20, zeros),
		"an event that is not": appendPayload(0, 1<<30, compressed(t, huge)),
	} {
		p, err := payloadOf(t, ev)
		require.NoError(t, err, name)
		_, err = unfold(p, 1<<30)
		require.ErrorIs(t, err, ErrMalformed, name)
	}
	whole := appendPayload(0, len(both), compressed(t, both))
	for n := HeaderSize; n < len(whole)-ChecksumSize-1; n++ {
		cut := append(bytes.Clone(whole[:n]), 0, 0, 0, 0)
		binary.LittleEndian.PutUint32(cut[offSize:], uint32(len(cut)))
		_, err := payloadOf(t, cut)
		require.ErrorIs(t, err, ErrMalformed, n)
	}
}

// FuzzPayload: whatever a payload holds, what comes out of it is events of the size that they say, together as large as it says.
func FuzzPayload(f *testing.F) {
	one := unchecksummed(AppendXID(nil, Meta{ServerID: 1}, 5))
	f.Add(appendPayload(0, len(one), compressed(f, one))[HeaderSize:])
	f.Add(appendPayload(0xff, len(one), one)[HeaderSize:])
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := decodePayload(b)
		if err != nil {
			return
		}
		const eventMax = 1 << 20
		events, err := unfold(p, eventMax)
		sum := uint64(0)
		for _, ev := range events {
			h, err := ParseHeader(ev)
			require.NoError(t, err)
			require.True(t, int(h.Size) == len(ev) && len(ev) <= eventMax)
			sum += uint64(len(ev))
		}
		require.LessOrEqual(t, sum, p.Size)
		if err == nil {
			require.Equal(t, p.Size, sum)
		}
	})
}
