package btree

import (
	"errors"
	"fmt"

	"github.com/duramendb/duramen/engine"
)

// Peek returns the mark that Open will find in o.Dir, and whether a key will be there, and changes nothing. A directory
// without an engine has the zero mark.
func Peek(o Options, key []byte) (m engine.Mark, there bool, err error) {
	if err := o.ensureDefaults(); err != nil {
		return engine.Mark{}, false, err
	}
	fail := func(err error) (engine.Mark, bool, error) {
		return engine.Mark{}, false, fmt.Errorf("look at %s engine in %s: %w", name, o.Dir, err)
	}
	if there, err := fileExists(&o); err != nil {
		return fail(err)
	} else if !there {
		return engine.Mark{}, false, nil
	}
	f, m, err := openFile(&o, true)
	if err != nil {
		return fail(err)
	}
	there, err = f.has(&o, key)
	if err := errors.Join(err, f.close()); err != nil {
		return fail(err)
	}
	return m, there, nil
}

// has says whether a key is there.
func (f *file) has(o *Options, key []byte) (there bool, err error) {
	var r retired
	b, err := r.newBase(f)
	if err != nil {
		return false, err
	}
	v := &version{active: emptyDelta, base: b}
	defer func() {
		v.releaseLayers()
		b.release()
		_, rerr := r.end()
		err = errors.Join(err, rerr)
	}()
	if err := openDebts(o, v); err != nil {
		return false, err
	}
	b.refs.Add(1)
	_, there, release, err := v.get(key)
	if err == nil {
		release()
	}
	return there, err
}
