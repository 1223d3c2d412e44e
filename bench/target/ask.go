package target

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Counters are those of SHOW GLOBAL STATUS that are numbers, by their names in lower case.
type Counters map[string]uint64

// Since is how much a counter has grown; false if the server does not have it.
func (c Counters) Since(earlier Counters, name string) (uint64, bool) {
	now, ok1 := c[name]
	before, ok2 := earlier[name]
	return now - before, ok1 && ok2 && now >= before
}

// Counters asks the server.
func (s *Server) Counters(ctx context.Context) (Counters, error) {
	rows, err := s.texts(ctx, "SHOW GLOBAL STATUS", 2)
	if err != nil {
		return nil, err
	}
	c := Counters{}
	for _, r := range rows {
		if n, err := strconv.ParseUint(r[1], 10, 64); err == nil {
			c[strings.ToLower(r[0])] = n
		}
	}
	return c, nil
}

// Setting is an option of a server that has not its default.
type Setting struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Default string `json:"default"` // "" if the server does not tell it
}

// Facts are what the report says about a server.
type Facts struct {
	Version  string    `json:"version"`
	Settings []Setting `json:"settings"`
	// SettingsFrom says how Settings were found.
	SettingsFrom string `json:"settings_from"`
	// Engines that the sets of tables are in, as the server says. None if all tables are plain.
	Engines map[string]string `json:"engines,omitempty"`
}

// Facts asks the server.
func (s *Server) Facts(ctx context.Context) (Facts, error) {
	rows, err := s.texts(ctx, "SELECT @@version, @@version_comment", 2)
	if err != nil {
		return Facts{}, err
	}
	f := Facts{Version: rows[0][0]}
	if rows[0][1] != "" {
		f.Version += " (" + rows[0][1] + ")"
	}
	f.Settings, f.SettingsFrom, err = s.settings(ctx)
	return f, err
}

// These servers know where each value comes from. All are asked for what our option file sets: it says what a
// server does, even where it is the default.
var settingsQueries = []struct{ query, from string }{
	{`SELECT variable_name, global_value, COALESCE(default_value, '') FROM information_schema.system_variables
		WHERE global_value_origin IN ('CONFIG', 'COMMAND-LINE', 'SQL', 'ENV') AND NOT global_value <=> default_value`, "information_schema.system_variables"},
	{`SELECT i.variable_name, g.variable_value, '' FROM performance_schema.variables_info i JOIN performance_schema.global_variables g USING (variable_name)
		WHERE i.variable_source <> 'COMPILED'`, "performance_schema.variables_info"},
}

func (s *Server) settings(ctx context.Context) ([]Setting, string, error) {
	for _, q := range settingsQueries {
		rows, err := s.texts(ctx, q.query, 3)
		if err != nil || len(rows) == 0 {
			continue // not this kind of server
		}
		given, err := s.givenSettings(ctx)
		if err != nil {
			return nil, "", err
		}
		for _, g := range given {
			if !slices.ContainsFunc(rows, func(r []string) bool { return strings.EqualFold(r[0], g[0]) }) {
				rows = append(rows, g)
			}
		}
		return sorted(rows), q.from, nil
	}
	given, err := s.givenSettings(ctx)
	return sorted(given), "the option file", err
}

// givenSettings are the variables that the option file sets.
func (s *Server) givenSettings(ctx context.Context) ([][]string, error) {
	rows, err := s.texts(ctx, "SHOW GLOBAL VARIABLES", 2)
	if err != nil {
		return nil, err
	}
	given := s.given()
	var chosen [][]string
	for _, r := range rows {
		if given[normal(r[0])] {
			chosen = append(chosen, []string{r[0], r[1], ""})
		}
	}
	return chosen, nil
}

// given are the names in the option file.
func (s *Server) given() map[string]bool {
	names := map[string]bool{}
	text, err := os.ReadFile(filepath.Join(s.options.Dir, "server.cnf"))
	if err != nil {
		return names // a Running server has none
	}
	for line := range strings.Lines(string(text)) {
		if name, _, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
			names[normal(name)] = true
		}
	}
	return names
}

func normal(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "-", "_")
}

// places differ from server to server and say nothing about speed.
var places = []string{"basedir", "bind_address", "datadir", "general_log_file", "hostname", "pid_file", "port", "server_id", "slow_query_log_file", "socket",
	"log_bin_basename", "log_bin_index", "lc_messages_dir", "log_error", "relay_log", "relay_log_index"}

func sorted(rows [][]string) []Setting {
	var settings []Setting
	for _, r := range rows {
		if name := strings.ToLower(r[0]); !slices.Contains(places, name) {
			settings = append(settings, Setting{Name: name, Value: r[1], Default: r[2]})
		}
	}
	slices.SortFunc(settings, func(a, b Setting) int { return strings.Compare(a.Name, b.Name) })
	return settings
}

// texts runs a query with n columns.
func (s *Server) texts(ctx context.Context, query string, n int) ([][]string, error) {
	rows, err := s.db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", s.Contender, query, err)
	}
	defer rows.Close()
	var all [][]string
	for rows.Next() {
		row := make([]string, n)
		dest := make([]any, n)
		for i := range row {
			dest[i] = &row[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", s.Contender, query, err)
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", s.Contender, query, err)
	}
	return all, nil
}
