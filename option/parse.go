package option

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Search says which option files are read: the System file if it exists, then
// my.cnf in the data directory if that exists, then --defaults-extra-file.
// --defaults-file stands in for all of them, --no-defaults for none.
type Search struct {
	System string   // "" for none
	Groups []string // the groups that are read
	// DatadirOption is the option that names the data directory; "" for none.
	DatadirOption string
}

const commandLine = "command line"

// The options that are about option files themselves.
const (
	noDefaults   = "no_defaults"
	defaultsFile = "defaults_file"
	extraFile    = "defaults_extra_file"
)

// Parse reads the option files and the arguments. What is left of the
// arguments (no options) is returned too.
func (s *Set) Parse(args []string, search Search) (Values, []string, error) {
	line := Values{set: s, given: make(map[string]value)}
	files := make(map[string]string)
	rest, err := line.readArgs(args, files)
	if err != nil {
		return Values{}, nil, err
	}
	v := Values{set: s, given: make(map[string]value)}
	for _, name := range search.files(files, line) {
		if err := v.readFile(name, search.Groups, 0); err != nil {
			return Values{}, nil, err
		}
	}
	for name, given := range line.given {
		if before, ok := v.given[name]; ok && s.def(name).Rules {
			given = before.and(given)
		}
		v.given[name] = given
	}
	v.Warned = append(v.Warned, line.Warned...)
	return v, rest, nil
}

func (s Search) files(directives map[string]string, line Values) []string {
	if _, ok := directives[noDefaults]; ok {
		return nil
	}
	if name, ok := directives[defaultsFile]; ok {
		return []string{name}
	}
	var names []string
	if s.System != "" && exists(s.System) {
		names = append(names, s.System)
	}
	if s.DatadirOption != "" {
		if name := filepath.Join(line.String(s.DatadirOption), "my.cnf"); exists(name) {
			names = append(names, name)
		}
	}
	if name, ok := directives[extraFile]; ok {
		names = append(names, name)
	}
	return names
}

// readArgs takes the command line. Options about option files go to files.
func (v *Values) readArgs(args []string, files map[string]string) (rest []string, err error) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(rest, args[i+1:]...), nil
		}
		name, text, hasValue := "", "", false
		switch {
		case strings.HasPrefix(arg, "--"):
			name, text, hasValue = strings.Cut(arg[2:], "=")
		case len(arg) >= 2 && arg[0] == '-':
			d, ok := v.set.byShort[arg[1]]
			if !ok {
				return nil, &Error{Option: arg[1:2], Origin: commandLine, Problem: "there is no such option"}
			}
			name, text, hasValue = d.Name, arg[2:], len(arg) > 2
		default:
			rest = append(rest, arg)
			continue
		}
		switch directive := canonical(name); directive {
		case noDefaults:
			files[directive] = ""
			continue
		case defaultsFile, extraFile:
			if !hasValue && i+1 < len(args) {
				i++
				text = args[i]
			}
			if text == "" {
				return nil, &Error{Option: name, Origin: commandLine, Problem: "needs the name of a file"}
			}
			files[directive] = text
			continue
		}
		if !hasValue && i+1 < len(args) && v.takesNext(name) && !strings.HasPrefix(args[i+1], "--") {
			i++
			text, hasValue = args[i], true
		}
		if err := v.assign(name, text, hasValue, commandLine); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// takesNext reports whether an option written without = takes the next argument.
func (v *Values) takesNext(name string) bool {
	d, _, switched := v.set.find(strings.TrimPrefix(canonical(name), "loose_"))
	return d != nil && !switched && d.Kind != Bool && !d.Optional
}

// Usage describes the options that have a help text.
func (s *Set) Usage() string {
	var b strings.Builder
	for _, d := range s.sorted {
		if d.Help == "" {
			continue
		}
		name := "--" + strings.ReplaceAll(d.Name, "_", "-")
		switch d.Kind {
		case Bool:
		case Int:
			name += "=#"
		case Seconds, Float, String:
			name += "=value"
		}
		if d.Short != 0 {
			name += fmt.Sprintf(", -%c", d.Short)
		}
		fmt.Fprintf(&b, "  %-34s %s", name, d.Help)
		if d.Default != "" {
			fmt.Fprintf(&b, " [%s]", d.Default)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
