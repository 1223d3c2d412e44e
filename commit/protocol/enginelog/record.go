package enginelog

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Kinds of records; those of package twopc are lower numbers.
const (
	// recordWrite: the name of a file, an offset, the bytes.
	recordWrite = 16
	// recordDurable: the name of a file, and up to where it is durable.
	recordDurable = 17
	// recordRelease: the files are right as they are, until the next recordDurable.
	recordRelease = 18
)

var errRecord = errors.New("malformed record of the binary log")

func appendPlace(dst []byte, kind byte, name string, at uint64) []byte {
	dst = append(dst, kind)
	dst = append(binary.AppendUvarint(dst, uint64(len(name))), name...)
	return binary.AppendUvarint(dst, at)
}

func parsePlace(b []byte) (name string, at uint64, rest []byte, err error) {
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(len(b)-used) {
		return "", 0, nil, errRecord
	}
	name, b = string(b[used:used+int(n)]), b[used+int(n):]
	at, used = binary.Uvarint(b)
	if used <= 0 {
		return "", 0, nil, errRecord
	}
	return name, at, b[used:], nil
}

// Contents are the records in a redo log. The zero value is ready.
type Contents struct {
	// carrying: the files are not right without the records.
	carrying bool
	files    map[string]*fileRecords
}

type fileRecords struct {
	writes []write
	end    uint64 // of the valid part
}

type write struct {
	at   uint64
	data []byte
}

func (c *Contents) file(name string) *fileRecords {
	if c.files == nil {
		c.files = map[string]*fileRecords{}
	}
	if c.files[name] == nil {
		c.files[name] = &fileRecords{}
	}
	return c.files[name]
}

// Add takes a record, unless it is not one of this package. The payload is kept.
func (c *Contents) Add(payload []byte) (taken bool, err error) {
	if len(payload) == 0 {
		return false, nil
	}
	kind := payload[0]
	switch kind {
	case recordRelease:
		*c = Contents{}
		return true, nil
	case recordWrite, recordDurable:
	default:
		return false, nil
	}
	name, at, data, err := parsePlace(payload[1:])
	if err != nil {
		return true, fmt.Errorf("%w, kind %d", err, kind)
	}
	c.carrying = true
	f := c.file(name)
	if kind == recordWrite {
		f.writes = append(f.writes, write{at, data})
	}
	f.end = max(f.end, at+uint64(len(data)))
	return true, nil
}
