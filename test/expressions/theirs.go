package expressions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"
)

// Server is a session of a server, mostly a real MariaDB.
type Server struct {
	addr  string
	conn  *client.Conn
	setup Setup
	ready bool
}

// Dial connects to a server, as root without a password.
func Dial(addr string) (*Server, error) {
	conn, err := client.Connect(addr, "root", "", "")
	if err != nil {
		return nil, err
	}
	return &Server{addr: addr, conn: conn}, nil
}

// Close ends the session.
func (s *Server) Close() error { return s.conn.Close() }

// limit sets max_allowed_packet, which only new sessions have.
func (s *Server) limit(packet uint64) error {
	if _, err := s.conn.Execute(fmt.Sprintf("SET GLOBAL max_allowed_packet=%d", packet)); err != nil {
		return err
	}
	conn, err := client.Connect(s.addr, "root", "", "")
	if err != nil {
		return err
	}
	_ = s.conn.Close()
	s.conn, s.ready = conn, false
	return nil
}

// Ask has the server compute SELECT expression; with arguments for its placeholders it is prepared.
func (s *Server) Ask(setup Setup, expression string, args ...any) (Answer, error) {
	if s.setup.packet() != setup.packet() {
		if err := s.limit(setup.packet()); err != nil {
			return Answer{}, err
		}
	}
	if !s.ready || s.setup != setup {
		for _, st := range setup.Statements() {
			if _, err := s.conn.Execute(st); err != nil {
				return Answer{}, fmt.Errorf("%s: %w", st, err)
			}
		}
		s.setup, s.ready = setup, true
	}
	var a Answer
	r, err := s.conn.Execute("SELECT "+expression, args...)
	if err != nil {
		var e *mysql.MyError
		if !errors.As(err, &e) {
			return a, err
		}
		a.Error = fmt.Sprintf("%d/%s %s", e.Code, e.State, e.Message)
	} else {
		defer r.Close()
		if len(r.Fields) != 1 || len(r.Values) != 1 {
			return a, errors.New("not one value: " + expression)
		}
		f := r.Fields[0]
		a.Name, a.Count = string(f.Name), r.Warnings
		a.Type = typeText(f.Type, f.ColumnLength, f.Decimal, f.Flag, f.Charset)
		a.Value = "NULL"
		if raw := r.Values[0][0]; raw.Type != mysql.FieldValueTypeNull && args != nil {
			value, err := r.GetString(0, 0)
			if err != nil {
				return a, err
			}
			a.Value = fmt.Sprintf("%q", value)
		} else if raw.Type != mysql.FieldValueTypeNull {
			text, err := rawText(r)
			if err != nil {
				return a, err
			}
			a.Value = fmt.Sprintf("%q", text)
		}
	}
	if a.Warnings, err = s.warnings(); err != nil {
		return a, err
	}
	if a.Error != "" {
		a.Warnings = withoutErrors(a.Warnings)
	}
	if len(a.Warnings) > 0 || a.Error != "" {
		// A SELECT without tables leaves the last statement's conditions where they are.
		r, err := s.conn.Execute("SHOW DATABASES LIKE 'none'")
		if err != nil {
			return a, err
		}
		r.Close()
	}
	return a, nil
}

// rawText is the text of the only value of a result as the server sent it.
func rawText(r *mysql.Result) ([]byte, error) {
	text, _, _, err := mysql.LengthEncodedString(r.RowDatas[0])
	return text, err
}

// withoutErrors leaves out what the answer has as its error.
func withoutErrors(conditions []string) []string {
	return slices.DeleteFunc(conditions, func(c string) bool { return strings.HasPrefix(c, "Error ") })
}

// warnings are those of the last statement; its error is among them.
func (s *Server) warnings() ([]string, error) {
	r, err := s.conn.Execute("SHOW WARNINGS")
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var out []string
	for i := range r.Values {
		level, _ := r.GetString(i, 0)
		number, _ := r.GetInt(i, 1)
		message, _ := r.GetString(i, 2)
		out = append(out, fmt.Sprintf("%s %d %s", level, number, message))
	}
	return out, nil
}
