package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/duramendb/duramen/bench/chart"
	"github.com/duramendb/duramen/bench/suite"
	"github.com/duramendb/duramen/bench/target"
)

// Context are tables that say what was measured, on what.
func (r *Report) Context() []chart.Table {
	tables := []chart.Table{r.machine(), r.versions()}
	if r.Info.Config.NeedsEngines() {
		tables = append(tables, r.engines())
	}
	return append(append(tables, r.plan()), r.settings()...)
}

func (r *Report) machine() chart.Table {
	t := chart.Table{Title: "Machine", Columns: []string{"", ""}, Left: 2}
	m := r.Info.Machine
	for _, row := range [][2]string{
		{"file system, kernel, CPUs", m.Where}, {"CPU", m.CPU}, {"memory", m.Memory}, {"disk", m.Disk},
		{"load", r.Info.Sysbench}, {"begun", r.Info.Started.UTC().Format("2006-01-02 15:04 MST")},
	} {
		if row[1] != "" {
			t.Add(row[0], row[1])
		}
	}
	return t
}

func (r *Report) versions() chart.Table {
	t := chart.Table{Title: "Servers", Columns: []string{"server", "version", "program"}, Left: 3}
	for _, c := range r.Info.Config.Contenders {
		f, ok := r.Info.Servers[c.String()]
		if !ok {
			f.Version = missing
		}
		t.Add(c.String(), f.Version, c.Path)
	}
	return t
}

// engines says what the sets of tables were asked to be in, and are in.
func (r *Report) engines() chart.Table {
	t := chart.Table{Title: "Engines of the tables", Columns: append([]string{"server"}, target.EngineSets...)}
	t.Left = len(t.Columns)
	for _, c := range r.Info.Config.Contenders {
		line := []string{c.String()}
		for _, set := range target.EngineSets {
			asked, text := "", missing
			if e, ok := c.Engine(set); ok {
				asked, text = e, e
			}
			if told := r.Info.Servers[c.String()].Engines[set]; told != "" && told != asked {
				text += " (" + told + ")"
			}
			line = append(line, text)
		}
		t.Add(line...)
	}
	t.Notes = append(t.Notes, "In parentheses: what information_schema.TABLES says, if it says another name.")
	return t
}

func (r *Report) plan() chart.Table {
	c := r.Info.Config
	mode := "text"
	if c.Prepared {
		mode = "prepared"
	}
	t := chart.Table{Title: "Suite " + c.Suite, Columns: []string{"", ""}, Left: 2}
	for _, row := range [][2]string{
		{"tables", fmt.Sprintf("%d of %s rows (oltp-rw, update-nokey: 8)", c.Tables, chart.Count(float64(c.TableSize)))},
		{"turn", c.Turn()},
		{"repeats", fmt.Sprint(c.Repeats)},
		{"statements", mode},
		{"cache of each server", chart.Bytes(float64(c.CacheBytes))},
	} {
		t.Add(row[0], row[1])
	}
	for _, name := range slices.Sorted(maps.Keys(c.Pairs)) {
		t.Add("replica of "+name, strings.Join(c.Pairs[name].Replica, ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Extra)) {
		t.Add("further options of "+name, strings.Join(c.Extra[name], ", "))
	}
	return t
}

// settings has a table for each server software: options as rows, its contenders as columns.
func (r *Report) settings() []chart.Table {
	var tables []chart.Table
	done := map[string]bool{}
	for _, c := range r.Info.Config.Contenders {
		if !done[c.Name] {
			done[c.Name] = true
			tables = append(tables, r.settingsOf(c.Name))
		}
	}
	return tables
}

func (r *Report) settingsOf(server string) chart.Table {
	t := chart.Table{Title: "Options of " + server + " that differ from its defaults", Columns: []string{"option", "default"}, Left: 2}
	defaults := map[string]string{}
	var values []map[string]string
	from := ""
	for _, c := range r.Info.Config.Contenders {
		if c.Name != server {
			continue
		}
		columns := []struct{ title, server string }{{c.Profile, c.String()}}
		if replica := suite.ReplicaName(c.String()); r.Info.Servers[replica].Version != "" {
			columns = append(columns, struct{ title, server string }{suite.ReplicaName(c.Profile), replica})
		}
		for _, column := range columns {
			f := r.Info.Servers[column.server]
			of := map[string]string{}
			for _, s := range f.Settings {
				of[s.Name] = s.Value
				if defaults[s.Name] == "" {
					defaults[s.Name] = s.Default
				}
			}
			values = append(values, of)
			t.Columns = append(t.Columns, column.title)
			if f.SettingsFrom != "" {
				from = f.SettingsFrom
			}
		}
	}
	t.Left = len(t.Columns)
	for _, name := range slices.Sorted(maps.Keys(defaults)) {
		line := []string{name, defaults[name]}
		for _, of := range values {
			v, given := of[name]
			if !given {
				v = "default"
			}
			line = append(line, v)
		}
		t.Add(line...)
	}
	if from != "" {
		t.Notes = append(t.Notes, "By "+from+". Paths, port and server id are left out.")
	}
	return t
}
