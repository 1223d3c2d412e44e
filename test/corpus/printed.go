package corpus

import (
	"fmt"
	"strings"
)

// CheckPrinted has a server say of each text that the parser printed whether it means the same as its statement, as far as preparing it can
// tell: the same error (of the same table, say), or columns of the same types and as many parameters.
func (f *Findings) CheckPrinted(s *Server) error {
	texts := make([]Statement, len(f.Printed))
	for i := range texts {
		texts[i] = f.asPrinted(i)
	}
	list, err := s.verdicts(texts)
	if err != nil {
		return err
	}
	p, err := connect(s.Addr, s.Database)
	if err != nil {
		return err
	}
	defer p.close()
	for i := range list {
		was, is := &f.Statements[i].Verdict, &list[i].Verdict
		if is.Outcome() == was.Outcome() || f.asksMode(i) {
			continue
		}
		// What a connection has prepared before leaves traces: a user variable exists then, say. So these two behind each other again.
		if was, is, err = f.pair(p, i); err != nil {
			return err
		}
		if is.Outcome() == was.Outcome() {
			continue
		}
		at := "column types"
		if is.Number != was.Number {
			at = fmt.Sprintf("error %d", is.Number)
		}
		f.differs(Refuted, f.Statements[i], at, fmt.Sprintf("%s\n%s\nwanted %s", f.Printed[i], is.Outcome(), was.Outcome()))
	}
	return nil
}

// asksMode reports whether the i-th statement asks for the mode in which it runs, and that is not the one in which what was printed is read.
func (f *Findings) asksMode(i int) bool {
	j := f.Statements[i]
	return j.Mode != printedMode(j.Mode) && strings.Contains(strings.ToLower(j.Text), "sql_mode")
}

// asPrinted is the i-th statement that both accept, as it was printed.
func (f *Findings) asPrinted(i int) Statement {
	s := f.Statements[i].Statement
	s.Text, s.Mode = f.Printed[i], printedMode(s.Mode)
	return s
}

// pair has the i-th statement and what was printed of it prepared by one connection that knows the statement already.
func (f *Findings) pair(p *preparer, i int) (was, is *Verdict, err error) {
	s, printed := &f.Statements[i].Statement, f.asPrinted(i)
	if err := p.set(s.Mode, s.Charset); err != nil {
		return nil, nil, err
	}
	first, err := p.prepare([]string{s.Text, s.Text})
	if err != nil {
		return nil, nil, err
	}
	if err := p.set(printed.Mode, printed.Charset); err != nil {
		return nil, nil, err
	}
	second, err := p.prepare([]string{printed.Text})
	if err != nil {
		return nil, nil, err
	}
	return &first[1], &second[0], nil
}
