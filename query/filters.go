package query

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/duramendb/duramen/query/admin"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/replication/replica"
	"github.com/duramendb/duramen/replication/replica/filter"
)

// ruleLists are the variables with rules of replication filters, and how the value of each is read into the rules.
var ruleLists = map[string]func(rules *filter.Rules, value string) error{
	"replicate_do_db": func(r *filter.Rules, value string) error {
		r.DoDB = filter.ParseDatabases(value)
		return nil
	},
	"replicate_ignore_db": func(r *filter.Rules, value string) error {
		r.IgnoreDB = filter.ParseDatabases(value)
		return nil
	},
	"replicate_do_table":          tableRules(func(r *filter.Rules) *[]string { return &r.DoTable }),
	"replicate_ignore_table":      tableRules(func(r *filter.Rules) *[]string { return &r.IgnoreTable }),
	"replicate_wild_do_table":     tableRules(func(r *filter.Rules) *[]string { return &r.WildDoTable }),
	"replicate_wild_ignore_table": tableRules(func(r *filter.Rules) *[]string { return &r.WildIgnoreTable }),
	"replicate_rewrite_db": func(r *filter.Rules, value string) (err error) {
		r.RewriteDB, err = filter.ParseRewrites(value)
		return err
	},
}

func tableRules(list func(*filter.Rules) *[]string) func(*filter.Rules, string) error {
	return func(r *filter.Rules, value string) (err error) {
		*list(r), err = filter.ParseTables(value)
		return err
	}
}

// HasRules reports whether a variable has rules of replication filters: as an option it may be given several times, and for one connection to a primary, as
// --connection.replicate-do-db=name.
func HasRules(variable string) bool { return ruleLists[variable] != nil }

// filters are the replication filters, of which each connection to a primary has its own. What options say of a connection counts for that one, and of each
// variable of which they say nothing there, what they say of none; SET GLOBAL changes what one connection has until the server ends, also beyond RESET SLAVE ALL. All
// this is as MariaDB 10.11 has it (seen there). Safe for concurrent use.
type filters struct {
	connections *replica.Manager
	options     map[string]map[string]string // values by connection in small letters, "" also for all, and variable

	mu  sync.Mutex
	set map[string]map[string]string // values of SET GLOBAL, likewise; under mu
}

var _ sysvar.Parts = (*filters)(nil)

func newFilters() *filters {
	return &filters{options: map[string]map[string]string{}, set: map[string]map[string]string{}}
}

// configure takes the options of filters, and returns the others. A filter is a text as SET takes it, or a list of rules. The error is a rule that cannot be one.
func (f *filters) configure(variables map[string]any) (others map[string]any, err error) {
	others = map[string]any{}
	for name, v := range variables {
		i := strings.LastIndexByte(name, '.')
		connection, variable := strings.ToLower(name[:max(i, 0)]), strings.ReplaceAll(name[i+1:], "-", "_")
		if !HasRules(variable) {
			others[name] = v
			continue
		}
		value, err := ruleText(v)
		if err == nil {
			err = ruleLists[variable](&filter.Rules{}, value)
		}
		if err != nil {
			return nil, fmt.Errorf("option %s: %w", name, err)
		}
		put(f.options, connection, variable, value)
	}
	return others, nil
}

// ruleText is the value of an option as SET takes it.
func ruleText(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case []string:
		for _, rule := range v {
			if strings.Contains(rule, ",") { // MariaDB takes it for a part of the name
				return "", errors.New("one rule each time that the option is given, without a comma")
			}
		}
		return strings.Join(v, ","), nil
	}
	return "", fmt.Errorf("%v is no text", v)
}

func put(in map[string]map[string]string, connection, variable, value string) {
	if in[connection] == nil {
		in[connection] = map[string]string{}
	}
	in[connection][variable] = value
}

// value is what a connection has, whether it is there or not.
func (f *filters) value(connection, variable string) string {
	connection = strings.ToLower(connection)
	f.mu.Lock()
	value, set := f.set[connection][variable]
	f.mu.Unlock()
	switch {
	case set:
		return value
	case f.options[connection][variable] != "":
		return f.options[connection][variable]
	}
	return f.options[""][variable]
}

// Value implements sysvar.Parts: the parts are the connections by name, "" is the one without. The error is 1617.
func (f *filters) Value(d *sysvar.Def, connection string) (any, error) {
	if connection != "" {
		if _, _, err := f.connections.Status(connection); err != nil {
			return nil, admin.ReplicaError(err)
		}
	}
	return f.value(connection, d.Name), nil
}

// Set implements sysvar.Parts, for a connection whose SQL thread does not run (1198). Nothing changes if a rule is wrong.
func (f *filters) Set(ctx context.Context, d *sysvar.Def, connection string, named bool, v any) error {
	text, _ := v.(string) // NULL takes the rules away
	var unknown *mysqlerr.Error
	err := admin.ReplicaError(f.connections.WhileNotApplying(connection, func() error {
		rules, err := shownRules(d.Name, text)
		if err != nil {
			return mysqlerr.New(mysqlerr.WrongArguments, "SET").WithCause(err)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		put(f.set, strings.ToLower(connection), d.Name, rules)
		return nil
	}))
	if named && errors.As(err, &unknown) && unknown.Number == mysqlerr.NoMasterConnection {
		if w, ok := ctx.(sysvar.Warner); ok {
			w.Warn(int(unknown.Number), "%s", unknown.Message)
		}
		return mysqlerr.New(mysqlerr.WrongArguments, "SET").WithCause(err)
	}
	return err
}

// shownRules is a value that was set as MariaDB shows it: without spaces before rules and empty rules.
func shownRules(variable, value string) (string, error) {
	var rules filter.Rules
	if err := ruleLists[variable](&rules, value); err != nil {
		return "", err
	}
	list := rules.DoDB
	for _, other := range [][]string{rules.IgnoreDB, rules.DoTable, rules.IgnoreTable, rules.WildDoTable, rules.WildIgnoreTable} {
		list = append(list, other...)
	}
	for _, r := range rules.RewriteDB {
		list = append(list, r.String())
	}
	return strings.Join(list, ","), nil
}

// of is the filter that a connection has now.
func (f *filters) of(connection string) (*filter.Filter, error) {
	var rules filter.Rules
	for variable, read := range ruleLists {
		if err := read(&rules, f.value(connection, variable)); err != nil {
			return nil, fmt.Errorf("%s: %w", variable, err)
		}
	}
	return filter.Compile(rules)
}
