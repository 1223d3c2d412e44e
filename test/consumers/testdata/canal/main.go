// Command canal keeps a copy of the rows of a database with go-mysql's canal. Run with the server's port, the
// file that it keeps position and rows in, and the number of the mark at which it ends.
package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-mysql-org/go-mysql/canal"
	"github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"
	"github.com/go-mysql-org/go-mysql/schema"
)

type state struct {
	File string
	Pos  uint32
	Rows map[string]map[string]any
}

type handler struct {
	canal.DummyEventHandler
	c      *canal.Canal
	state  state
	marker int
	seen   bool
}

func (h *handler) OnRow(e *canal.RowsEvent) error {
	if e.Table.Name == "marker" {
		for _, row := range e.Rows {
			h.seen = h.seen || fmt.Sprint(row[0]) == strconv.Itoa(h.marker)
		}
		return nil
	}
	if e.Table.Name != "all_types" {
		return nil
	}
	for i, row := range e.Rows {
		id := fmt.Sprint(row[0])
		switch {
		case e.Action == canal.DeleteAction:
			delete(h.state.Rows, id)
		case e.Action == canal.InsertAction || i%2 == 1:
			h.state.Rows[id] = values(e.Table.Columns, row)
		}
	}
	return nil
}

func values(cols []schema.TableColumn, row []any) map[string]any {
	out := map[string]any{}
	for i, c := range cols {
		switch v := row[i].(type) {
		case nil:
			out[c.Name] = nil
			continue
		case int64:
			switch c.Type { // in the log they are numbers
			case schema.TYPE_ENUM:
				out[c.Name] = c.EnumValues[v-1]
				continue
			case schema.TYPE_SET:
				text := ""
				for j, member := range c.SetValues {
					if v>>j&1 == 1 {
						text += "," + member
					}
				}
				out[c.Name] = text[min(1, len(text)):]
				continue
			}
		case []byte:
			if c.Type != schema.TYPE_BINARY && c.RawType != "blob" {
				out[c.Name] = string(v)
				continue
			}
			out[c.Name] = "0x" + hex.EncodeToString(v)
			continue
		case string:
			if !utf8.ValidString(v) && strings.HasPrefix(c.Collation, "latin1") { // canal leaves the bytes of the log as they are
				runes := make([]rune, len(v))
				for j := range len(v) {
					runes[j] = rune(v[j])
				}
				row[i] = string(runes)
			}
			if c.Type == schema.TYPE_BINARY || c.RawType == "blob" || c.Type == schema.TYPE_BIT {
				out[c.Name] = "0x" + hex.EncodeToString([]byte(v))
				continue
			}
		}
		out[c.Name] = fmt.Sprint(row[i])
	}
	return out
}

func (h *handler) OnPosSynced(_ *replication.EventHeader, pos mysql.Position, _ mysql.GTIDSet, _ bool) error {
	h.state.File, h.state.Pos = pos.Name, pos.Pos
	if h.seen {
		return errDone
	}
	return nil
}

var errDone = errors.New("done")

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("OK")
}

func run(port, file, marker string) error {
	h := &handler{state: state{Rows: map[string]map[string]any{}}}
	h.marker, _ = strconv.Atoi(marker)
	text, err := os.ReadFile(file)
	first := err != nil
	if !first {
		if err := json.Unmarshal(text, &h.state); err != nil {
			return err
		}
	}
	cfg := canal.NewDefaultConfig()
	cfg.Addr, cfg.User, cfg.Flavor, cfg.ServerID = "127.0.0.1:"+port, "root", mysql.MariaDBFlavor, 901
	cfg.SemiSyncEnabled = true
	cfg.Dump.ExecutionPath = ""
	if path, err := exec.LookPath("mariadb-dump"); err == nil && first {
		cfg.Dump.ExecutionPath, cfg.Dump.Databases = path, []string{"shop"}
	}
	if h.c, err = canal.NewCanal(cfg); err != nil {
		return err
	}
	h.c.SetEventHandler(h)
	switch {
	case !first:
		err = h.c.RunFrom(mysql.Position{Name: h.state.File, Pos: h.state.Pos})
	case cfg.Dump.ExecutionPath != "":
		err = h.c.Run()
	default:
		err = h.c.RunFrom(mysql.Position{Name: "binlog.000001", Pos: 4})
	}
	h.c.Close()
	if !errors.Is(err, errDone) && !h.seen {
		return fmt.Errorf("canal: %w", err)
	}
	if text, err = json.Marshal(h.state); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}
