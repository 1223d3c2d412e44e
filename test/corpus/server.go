package corpus

import (
	"slices"
	"strings"
	"sync"
)

// Server is a real MariaDB, in which the account root has no password.
type Server struct {
	Addr string // host:port, or the path of a unix socket
	// Database is an empty one.
	Database string
	// Connections are used side by side; 2 if 0.
	Connections int
}

// after is what makes a text that was read to its end a syntax error.
const after = "\n)"

const (
	syntaxError = 1064
	emptyQuery  = 1065 // only comments
	noTable     = 1146 // of most accepted statements, and never the parser's
)

// Judge gives the server's verdict on each statement. A text of several statements becomes several.
func (s *Server) Judge(statements []Statement) ([]Judged, error) {
	var done []Judged
	for len(statements) > 0 {
		list, err := s.verdicts(statements)
		if err != nil {
			return nil, err
		}
		var whole []int // places in list of those that seem to be several
		var heads, rests []Statement
		for i := range list {
			if first, rest, ok := list[i].split(); ok {
				head, tail := list[i].Statement, list[i].Statement
				head.Text = first
				tail.Text, tail.Line = rest, tail.Line+strings.Count(tail.Text[:len(tail.Text)-len(rest)], "\n")
				whole, heads, rests = append(whole, i), append(heads, head), append(rests, tail)
			}
		}
		judged, err := s.verdicts(heads)
		if err != nil {
			return nil, err
		}
		statements = nil
		for k, i := range whole {
			if judged[k].Kind != Refused {
				list[i] = judged[k]
				statements = append(statements, rests[k])
			}
		}
		done = append(done, list...)
	}
	return unique(done), nil
}

// unique keeps the first of equal statements.
func unique(list []Judged) []Judged {
	seen := make(map[Key]bool, len(list))
	return slices.DeleteFunc(list, func(j Judged) bool {
		key := j.Key()
		again := seen[key]
		seen[key] = true
		return again
	})
}

// verdicts has each text prepared, as one statement.
func (s *Server) verdicts(statements []Statement) ([]Judged, error) {
	list := make([]Judged, len(statements))
	var all []int
	for i := range list {
		list[i].Statement = statements[i]
		all = append(all, i)
	}
	err := s.each(list, all, "", func(i int, v Verdict) {
		list[i].Verdict = v
		switch v.Number {
		case syntaxError:
			list[i].Kind = Refused
		case emptyQuery:
			list[i].Kind = Stopped
		}
	})
	if err != nil {
		return nil, err
	}
	failed := slices.DeleteFunc(all, func(i int) bool {
		n := list[i].Number
		return n == 0 || n == syntaxError || n == emptyQuery || n == noTable
	})
	err = s.each(list, failed, after, func(i int, v Verdict) {
		if v.Number != syntaxError {
			list[i].Kind = Stopped
		}
	})
	return list, err
}

// chunkMax is how many texts are sent before the first answer is read.
const chunkMax = 128

// each has the texts of some statements prepared, with something added to each, and gives the answers to take. take is called for one at a
// time per connection, and never twice for the same statement.
func (s *Server) each(list []Judged, which []int, added string, take func(i int, v Verdict)) error {
	which = slices.Clone(which)
	slices.SortStableFunc(which, func(a, b int) int {
		return strings.Compare(list[a].Mode+" "+list[a].Charset, list[b].Mode+" "+list[b].Charset)
	})
	chunks := make(chan []int)
	failed := make(chan error, 16)
	var workers sync.WaitGroup
	for range max(s.Connections, 1) {
		workers.Go(func() {
			if err := s.worker(list, chunks, added, take); err != nil {
				failed <- err
				for range chunks { // so that nobody waits
				}
			}
		})
	}
	for len(which) > 0 {
		first := &list[which[0]]
		n := 1
		for n < min(chunkMax, len(which)) && list[which[n]].Mode == first.Mode && list[which[n]].Charset == first.Charset {
			n++
		}
		chunks <- which[:n]
		which = which[n:]
	}
	close(chunks)
	workers.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// worker sends chunks of statements of the same mode and character set.
func (s *Server) worker(list []Judged, chunks <-chan []int, added string, take func(i int, v Verdict)) error {
	p, err := connect(s.Addr, s.Database)
	if err != nil {
		return err
	}
	defer p.close()
	for chunk := range chunks {
		if err := p.set(list[chunk[0]].Mode, list[chunk[0]].Charset); err != nil {
			return err
		}
		texts := make([]string, len(chunk))
		for k, i := range chunk {
			texts[k] = list[i].Text + added
		}
		answers, err := p.prepare(texts)
		if err != nil {
			return err
		}
		for k, i := range chunk {
			take(i, answers[k])
		}
	}
	return nil
}
