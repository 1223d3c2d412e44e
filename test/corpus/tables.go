package corpus

import (
	"fmt"
	"regexp"
	"strings"
)

// scratch is the database in which CheckTables makes tables.
const scratch = "corpus_scratch"

var (
	// makesTable are statements that make a table or sequence in the database of the session.
	makesTable = regexp.MustCompile("(?is)^CREATE\\s+(OR\\s+REPLACE\\s+)?(TABLE|SEQUENCE)\\s+(IF\\s+NOT\\s+EXISTS\\s+)?(\\w+\\b|`[^`.]+`)\\s*[^.\\s`]")
	// outside are words of statements that touch more than that.
	outside = regexp.MustCompile(`(?i)\b(directory|select|like|connection|federatedx?|connect|spider|s3|rocksdb|mroonga|sphinx|oqgraph)\b|@`)
)

// CheckTables has a server run the definitions of tables and sequences that both accept, at most n of them: as they are written, and as the
// parser printed them. The server has to write the same SHOW CREATE TABLE of both. It gives the number of definitions.
func (f *Findings) CheckTables(s *Server, n int) (done int, err error) {
	p, err := connect(s.Addr, "")
	if err != nil {
		return 0, err
	}
	defer p.close()
	for _, q := range []string{"CREATE OR REPLACE DATABASE " + scratch, "USE " + scratch} {
		if err := p.exec(q); err != nil {
			return 0, err
		}
	}
	for i, j := range f.Statements {
		if done == n {
			break
		}
		if !makesTable.MatchString(j.Text) || outside.MatchString(j.Text) {
			continue
		}
		done++
		printed := f.asPrinted(i)
		want, err := p.table(&j.Statement)
		if err != nil {
			return done, err
		}
		got, err := p.table(&printed)
		if err != nil {
			return done, err
		}
		if got != want {
			f.differs(Redefined, j, "", fmt.Sprintf("%s\n%s\nwanted\n%s", printed.Text, got, want))
		}
	}
	return done, p.exec("DROP DATABASE " + scratch)
}

// table makes a table, and gives how the server writes it, or the error. The table is gone then.
func (p *preparer) table(s *Statement) (string, error) {
	if err := p.set(s.Mode, s.Charset); err != nil {
		return "", err
	}
	result, err := p.result(s.Text)
	if err != nil || result != "ok" {
		return result, err
	}
	if err := p.set("", utf8Charset); err != nil {
		return "", err
	}
	names, err := p.result("SHOW TABLES")
	if err != nil || names == "" || strings.HasPrefix(names, "error") {
		return "no table", err
	}
	name := names[1:min(1+int(names[0]), len(names))] // at most 64 characters of 3 bytes
	name = "`" + strings.ReplaceAll(name, "`", "``") + "`"
	text, err := p.result("SHOW CREATE TABLE " + name)
	if err != nil {
		return "", err
	}
	dropped, err := p.result("DROP TABLE " + name)
	if err == nil && dropped != "ok" {
		err = fmt.Errorf("%s: DROP TABLE %s: %s", s.Text, name, dropped)
	}
	return text, err
}
