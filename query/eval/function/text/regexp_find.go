package text

import (
	"errors"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/function/text/pcre"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// find is the first match from a place on: its ends and those of its groups, nil if there is none. What a match may not take is a warning, and no
// match.
func (p *pattern) find(f *eval.Frame, s []byte, from int) []int {
	if p.re != nil {
		return p.re.FindSubmatchIndex(s[from:])
	}
	m := pcre.Machine{Interrupted: f.Interrupted, Charge: f.Charge}
	defer m.Release()
	at, err := m.Find(p.deep, s, from)
	switch {
	case err == nil:
		return at
	case errors.Is(err, pcre.ErrMatchLimit), errors.Is(err, pcre.ErrRecursion):
		f.Diag.WarnOnly(mysqlerr.Regexp, err.Error())
	case errors.Is(err, pcre.ErrTooLarge):
		failWith(f, refusal("such a match"))
	default: // interrupted, or there is no memory
		failWith(f, err)
	}
	return nil
}

func oneIf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
