package inspect

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/duramendb/duramen/binlog/event"
)

// textSink writes events for people, in the manner of mariadb-binlog -v.
type textSink struct {
	out  io.Writer
	file string
	buf  []byte
}

func (s *textSink) show(it *item) error {
	b := s.buf[:0]
	if s.file != it.file {
		s.file = it.file
		b = fmt.Appendf(b, "# file %s\n", it.file)
	}
	if it.depth == 0 {
		b = fmt.Appendf(b, "# at %d\n", it.at)
	}
	h := it.ev.Header
	when := time.Unix(int64(h.Timestamp), 0).Format("060102 15:04:05")
	b = fmt.Appendf(b, "#%s server id %d  end_log_pos %d \t", when, h.ServerID, h.LogPos)
	if it.depth > 0 {
		b = append(b, "(local) "...)
	}
	b, err := s.body(b, it)
	s.buf = b
	if err != nil {
		return fmt.Errorf("%s, offset %d: %w", it.file, it.at, err)
	}
	_, err = s.out.Write(b)
	return err
}

func (s *textSink) body(b []byte, it *item) ([]byte, error) {
	switch body := it.ev.Body.(type) {
	case *event.GTIDInfo:
		return fmt.Appendf(b, "GTID %s%s\n", body.GTID, gtidFlags(body)), nil
	case *event.Query:
		b = fmt.Appendf(b, "%s thread_id=%d exec_time=%d error_code=%d\n", it.ev.Header.Type, body.ThreadID, body.ExecTime, body.ErrorCode)
		if body.Schema != "" && it.ev.Header.Flags&event.FlagSuppressUse == 0 {
			b = append(b, "use "+quoteName(body.Schema)+";\n"...)
		}
		return append(appendSafe(b, body.SQL), ";\n"...), nil
	case *event.Annotate:
		b = append(b, "Annotate_rows:\n"...)
		for line := range strings.Lines(string(body.SQL)) {
			b = append(appendSafe(append(b, "#Q> "...), strings.TrimSuffix(line, "\n")), '\n')
		}
		return b, nil
	case *event.TableMapInfo:
		return fmt.Appendf(b, "Table_map: %s.%s mapped to number %d\n", quoteName(body.Schema), quoteName(body.Table), body.TableID), nil
	case *event.RowsInfo:
		b = fmt.Appendf(b, "%s: %s\n", it.ev.Header.Type, event.Describe(it.ev))
		return appendRows(b, body, it.table)
	case *event.Private:
		return appendPrivate(b, it.ev, body)
	case *event.Opaque:
		return fmt.Appendf(b, "%s: %d bytes\n", it.ev.Header.Type, len(body.Data)), nil
	}
	b = append(b, it.ev.Header.Type.String()...)
	if info := event.Describe(it.ev); info != "" {
		b = appendSafe(append(b, ": "...), info)
	}
	return append(b, '\n'), nil
}

// gtidFlags are the words after a GTID.
func gtidFlags(g *event.GTIDInfo) string {
	var words []string
	for _, f := range []struct {
		flag byte
		word string
	}{{event.FLDDL, "ddl"}, {event.FLTransactional, "trans"}, {event.FLWaited, "waited"}, {event.FLPreparedXA, "XA prepared"}, {event.FLCompletedXA, "XA completed"}} {
		if g.Flags&f.flag != 0 {
			words = append(words, " "+f.word)
		}
	}
	if g.Flags&event.FLGroupCommitID != 0 {
		words = append(words, fmt.Sprintf(" cid=%d", g.CommitID))
	}
	switch {
	case g.ExtraFlags&event.FLExtraStartAlter != 0:
		words = append(words, " START ALTER")
	case g.ExtraFlags&event.FLExtraCommitAlter != 0:
		words = append(words, fmt.Sprintf(" COMMIT ALTER id=%d", g.AlterSeq))
	case g.ExtraFlags&event.FLExtraRollbackAlter != 0:
		words = append(words, fmt.Sprintf(" ROLLBACK ALTER id=%d", g.AlterSeq))
	}
	return strings.Join(words, "")
}

func appendRows(b []byte, r *event.RowsInfo, tm *tableMap) ([]byte, error) {
	if tm == nil {
		if r.TableID == event.DummyTableID {
			return b, nil
		}
		return fmt.Appendf(b, "### rows of an unknown table: no table map with number %d was read\n", r.TableID), nil
	}
	name := quoteName(tm.info.Schema) + "." + quoteName(tm.info.Table)
	err := eachRow(r, tm, func(_ int, before, after []byte) error {
		var err error
		switch {
		case before == nil:
			b = append(b, "### INSERT INTO "+name+"\n### SET\n"...)
		case after == nil:
			b = append(b, "### DELETE FROM "+name+"\n### WHERE\n"...)
		default:
			b = append(b, "### UPDATE "+name+"\n### WHERE\n"...)
		}
		if before != nil {
			if b, err = appendImage(b, tm, r.BitmapBefore, before); err != nil {
				return err
			}
			if after != nil {
				b = append(b, "### SET\n"...)
			}
		}
		if after != nil {
			b, err = appendImage(b, tm, afterBitmap(r), after)
		}
		return err
	})
	return b, err
}

func appendImage(b []byte, tm *tableMap, present, image []byte) ([]byte, error) {
	err := eachValue(tm.columns, present, image, func(i int, c *column, packed []byte) error {
		b = append(b, "###   "...)
		if c.Name == "" {
			b = append(b, c.label(i)...)
		} else {
			b = append(b, quoteName(c.Name)...)
		}
		b = append(b, '=')
		var err error
		if packed == nil {
			b = append(b, "NULL"...)
		} else {
			b, err = appendText(b, c, packed)
		}
		b = append(b, '\n')
		return err
	})
	return b, err
}

// appendPrivate shows a private record.
func appendPrivate(b []byte, ev event.Event, p *event.Private) ([]byte, error) {
	b = fmt.Appendf(b, "Private record: %s", describePrivate(p))
	switch p.Kind {
	case event.PrivateCatalog:
		b = appendSafe(append(b, '\n'), string(p.Payload))
	}
	return append(b, '\n'), nil
}

func quoteName(s string) string {
	return "`" + strings.ReplaceAll(string(appendSafe(nil, s)), "`", "``") + "`"
}

// appendSafe appends text for a terminal: control characters other than tab and
// newline, and what is no UTF-8, become \xNN.
func appendSafe(dst []byte, text string) []byte {
	for i, r := range text {
		switch {
		case r == unicode.ReplacementChar && !strings.HasPrefix(text[i:], "\ufffd"):
			dst = fmt.Appendf(dst, `\x%02x`, text[i])
		case r == '\n' || r == '\t' || r >= ' ' && r < 0x7f || r >= 0xa0:
			dst = append(dst, string(r)...)
		default:
			dst = fmt.Appendf(dst, `\x%02x`, r)
		}
	}
	return dst
}
