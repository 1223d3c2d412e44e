// Command engine shows an engine of one's own: what package engine asks for, in engine.go. Its tests run the conformance suite,
// and a whole store with it.
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

func main() {
	dir := "data"
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if err := run(dir, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run applies two changes, makes the first one durable, and looks what is there after a restart.
func run(dir string, out io.Writer) error {
	var kind engine.Kind = treeKind{}
	o := engine.Options{FS: vfs.Default, Dir: filepath.Join(dir, kind.Dir())}
	if err := os.MkdirAll(o.Dir, 0o750); err != nil {
		return err
	}
	e, err := kind.Open(o)
	if err != nil {
		return err
	}
	for n, key := range []string{"first", "second"} {
		b := e.NewBatch()
		if err := b.Set([]byte(key), []byte("change")); err != nil {
			return err
		}
		if err := e.Apply(b, engine.Mark{Position: logpos.At(1, uint64(100*(n+1)))}); err != nil {
			return err
		}
		if n > 0 {
			continue
		}
		if _, err := e.Checkpoint(); err != nil {
			return err
		}
	}
	if err := e.Close(); err != nil {
		return err
	}
	_, there, err := kind.Peek(o, []byte("second"))
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "%s has the second change: %v\n", kind.Name(), there)
	if e, err = kind.Open(o); err != nil {
		return err
	}
	it, err := e.NewIter(nil, nil)
	if err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		_, _ = fmt.Fprintf(out, "%s: %s\n", it.Key(), it.Value())
	}
	_, _ = fmt.Fprintf(out, "the log has to be read from %s\n", e.Durable().Position)
	return errors.Join(it.Error(), it.Close(), e.Close())
}
