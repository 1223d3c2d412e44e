package corpus

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"

	"github.com/duramendb/duramen/mysql"
)

// moving are words of expressions whose values are not the same each time, or that do something.
var moving = regexp.MustCompile(`(?i)\b(from|into|procedure|sleep|get_lock|release_\w+|is_\w+_lock|benchmark|rand|random_bytes|uuid|uuid_short|sys_guid|now|sysdate|` +
	`current_\w+|cur(date|time)|local\w*|utc_\w+|unix_timestamp|connection_id|load_file|master_\w+|wait\w*|last_insert_id|found_rows|row_count|` +
	`nextval|lastval|setval|encrypt|password|aes_encrypt|des_encrypt|rownum|for|lock|next|previous)\b|@`)

// computable reports whether a text is a query whose result is the same each time.
func computable(text string) bool {
	return firstWord(text) == "SELECT" && !moving.MatchString(text)
}

// result runs a query and gives its rows as they are sent, or its error.
func (p *preparer) result(query string) (string, error) {
	if _, err := p.out.Write(packet(nil, mysql.COM_QUERY, []byte(query))); err != nil {
		return "", err
	}
	b, err := p.packet()
	if err != nil {
		return "", err
	}
	switch b[0] {
	case mysqlError:
		return fmt.Sprintf("error %d", binary.LittleEndian.Uint16(b[1:])), nil
	case 0:
		return "ok", nil
	}
	if b[0] > 250 {
		return "", fmt.Errorf("%d columns", b[0])
	}
	if _, err := p.definitions(uint16(b[0])); err != nil {
		return "", err
	}
	var rows strings.Builder
	for {
		if b, err = p.packet(); err != nil {
			return "", err
		}
		switch {
		case b[0] == 0xfe && len(b) < 9:
			return rows.String(), nil
		case b[0] == mysqlError:
			return fmt.Sprintf("%serror %d", rows.String(), binary.LittleEndian.Uint16(b[1:])), nil
		}
		rows.Write(b)
		rows.WriteByte('\n')
	}
}

// CheckValues has a server compute the queries without tables that both accept, as they are written, as the parser printed them, and with
// all operators in the parentheses that they have in the parser's tree: an operator that binds more tightly than in MariaDB shows in the
// values. It gives the number of queries, and in how many of them there are such parentheses.
func (f *Findings) CheckValues(s *Server) (n, inParentheses int, err error) {
	p, err := connect(s.Addr, s.Database)
	if err != nil {
		return 0, 0, err
	}
	defer p.close()
	if err := p.exec("SET max_statement_time = 5"); err != nil {
		return 0, 0, err
	}
	for i, j := range f.Statements {
		if !computable(j.Text) {
			continue
		}
		n++
		if err := p.set(j.Mode, j.Charset); err != nil {
			return n, inParentheses, err
		}
		want, err := p.result(j.Text)
		if err != nil {
			return n, inParentheses, err
		}
		if text, ok := grouped(j.Text, f.trees[i]); ok {
			inParentheses++
			got, err := p.result(text)
			if err != nil {
				return n, inParentheses, err
			}
			if got != want {
				f.differs(Bound, j, "", fmt.Sprintf("%s\n%q, wanted %q", text, abbreviate(got, 300), abbreviate(want, 300)))
			}
		}
		if err := p.set(printedMode(j.Mode), j.Charset); err != nil {
			return n, inParentheses, err
		}
		got, err := p.result(f.Printed[i])
		if err != nil {
			return n, inParentheses, err
		}
		if got != want {
			f.differs(Miscounted, j, "", fmt.Sprintf("%s\n%q, wanted %q", f.Printed[i], abbreviate(got, 300), abbreviate(want, 300)))
		}
	}
	return n, inParentheses, nil
}
