package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/duramendb/duramen/bench/chart"
)

// Context are tables that say what was measured, on what.
func (r *Report) Context() []chart.Table {
	return append([]chart.Table{r.machine(), r.versions(), r.plan()}, r.settings()...)
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

func (r *Report) plan() chart.Table {
	c := r.Info.Config
	mode := "text"
	if c.Prepared {
		mode = "prepared"
	}
	t := chart.Table{Title: "Suite " + c.Suite, Columns: []string{"", ""}, Left: 2}
	for _, row := range [][2]string{
		{"tables", fmt.Sprintf("%d of %s rows (oltp-rw, update-nokey: 8)", c.Tables, chart.Count(float64(c.TableSize)))},
		{"turn", fmt.Sprintf("%v, after %v of warm-up", c.Time, c.WarmUp)},
		{"repeats", fmt.Sprint(c.Repeats)},
		{"statements", mode},
		{"cache of each server", chart.Bytes(float64(c.CacheBytes))},
	} {
		t.Add(row[0], row[1])
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
		f := r.Info.Servers[c.String()]
		of := map[string]string{}
		for _, s := range f.Settings {
			of[s.Name] = s.Value
			if defaults[s.Name] == "" {
				defaults[s.Name] = s.Default
			}
		}
		values = append(values, of)
		t.Columns = append(t.Columns, c.Profile)
		if f.SettingsFrom != "" {
			from = f.SettingsFrom
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
