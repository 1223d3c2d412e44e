package option

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxIncludeDepth ends files that include each other.
const maxIncludeDepth = 10

// readFile takes the options of the wanted groups from a file.
func (v *Values) readFile(name string, groups []string, depth int) error {
	if depth > maxIncludeDepth {
		return fmt.Errorf("option file %s: more than %d files include each other", name, maxIncludeDepth)
	}
	data, err := readSmall(name)
	if err != nil {
		return fmt.Errorf("option file: %w", err)
	}
	wanted := false
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		at := func(format string, args ...any) error {
			return fmt.Errorf("option file %s, line %d: %w", name, number, fmt.Errorf(format, args...))
		}
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			group, rest, ok := strings.Cut(line[1:], "]")
			if rest = strings.TrimSpace(rest); !ok || (rest != "" && rest[0] != '#') {
				return at("not a group: %q", line)
			}
			wanted = slices.Contains(groups, strings.TrimSpace(group))
		case line[0] == '!':
			if err := v.include(line, filepath.Dir(name), groups, depth); err != nil {
				return at("%w", err)
			}
		case wanted:
			key, text, hasValue := strings.Cut(line, "=")
			if !hasValue {
				key, _, _ = strings.Cut(key, "#")
			}
			key = strings.TrimSpace(key)
			if text, err = unquote(strings.TrimSpace(text)); err != nil {
				return at("%w", err)
			}
			if err := v.assign(key, text, hasValue, fmt.Sprintf("%s, line %d", name, number)); err != nil {
				return err
			}
		}
	}
	return nil
}

// fileSizeMax ends the reading of something that is no option file.
const fileSizeMax = 1 << 20

func readSmall(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, fileSizeMax+1))
	if err == nil && len(data) > fileSizeMax {
		err = fmt.Errorf("%s is larger than %d bytes", name, fileSizeMax)
	}
	return data, err
}

// include follows !include and !includedir; relative names start at the
// including file.
func (v *Values) include(line, dir string, groups []string, depth int) error {
	directive, target, _ := strings.Cut(line, " ")
	target = strings.TrimSpace(target)
	if target == "" {
		return fmt.Errorf("%s names nothing", directive)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	switch directive {
	case "!include":
		return v.readFile(target, groups, depth+1)
	case "!includedir":
		entries, err := os.ReadDir(target)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.IsDir() || filepath.Ext(e.Name()) != ".cnf" {
				continue
			}
			if err := v.readFile(filepath.Join(target, e.Name()), groups, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("unknown directive %q", directive)
}

// unquote takes the quotes and escapes out of a value, and a comment after it.
func unquote(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if quote := text[0]; quote == '"' || quote == '\'' {
		end := 1
		for end < len(text) && text[end] != quote {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(text) {
			return "", fmt.Errorf("no end of the quoted value %s", text)
		}
		if rest := strings.TrimSpace(text[end+1:]); rest != "" && rest[0] != '#' {
			return "", fmt.Errorf("%q follows the quoted value", rest)
		}
		return unescape(text[1:end]), nil
	}
	if text[0] == '#' {
		return "", nil
	}
	// A # begins a comment only after a space: passwords and paths may have one.
	for i := 1; i < len(text); i++ {
		if text[i] == '#' && (text[i-1] == ' ' || text[i-1] == '\t') {
			text = strings.TrimSpace(text[:i])
			break
		}
	}
	return unescape(text), nil
}

// unescape resolves \b \t \n \r \s \\ \" \'; another backslash stays.
func unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		if at := strings.IndexByte(`btnrs\"'`, text[i]); at >= 0 {
			b.WriteByte("\b\t\n\r \\\"'"[at])
			continue
		}
		b.WriteByte('\\')
		b.WriteByte(text[i])
	}
	return b.String()
}

// exists reports whether a file is there; other trouble shows when it is read.
func exists(name string) bool {
	_, err := os.Stat(name)
	return !errors.Is(err, fs.ErrNotExist)
}
