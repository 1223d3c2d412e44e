package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Package is the Debian package that has the tests.
const Package = "mariadb-test-data"

// dirs are where packages put the tests.
var dirs = []string{"/usr/share/mysql/mysql-test", "/usr/share/mariadb/mysql-test", "/usr/share/mysql-test"}

// Dir is the directory of MariaDB's tests on this machine, or that of the environment variable DURAMEN_CORPUS. The error says what to
// install.
func Dir() (string, error) {
	look := dirs
	if dir := os.Getenv("DURAMEN_CORPUS"); dir != "" {
		look = []string{dir}
	}
	for _, dir := range look {
		if _, err := os.Stat(filepath.Join(dir, "main", "select.test")); err == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("no tests of MariaDB in %s (Debian package %s; test/install-peers.sh installs it)", strings.Join(look, ", "), Package)
}

// Tree is a directory of tests.
type Tree struct {
	root string // "": only what is in texts
	// scripts by their path below root; "" for those that cannot be read.
	texts map[string]string
	tests []string
	rest  []string // to be included
	// idle are included scripts that changed nothing for the one that included them, by the state from which they were.
	idle map[state]bool
}

func newTree(root string) *Tree {
	return &Tree{root: root, texts: map[string]string{}, idle: map[state]bool{}}
}

// open lists a directory.
func open(root string) (*Tree, error) {
	t := newTree(root)
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "std_data" { // what tests load into tables
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		switch path.Ext(rel) {
		case ".test":
			t.tests = append(t.tests, rel)
		case ".inc":
			t.rest = append(t.rest, rel)
		}
		return nil
	})
	if err == nil && len(t.tests) == 0 {
		err = errors.New("no file in " + root + " ends with .test")
	}
	slices.Sort(t.tests)
	slices.Sort(t.rest)
	return t, err
}

// read gives a file; false if there is none.
func (t *Tree) read(file string) (string, bool) {
	if text, ok := t.texts[file]; ok {
		return text, text != ""
	}
	if t.root == "" || !filepath.IsLocal(file) {
		return "", false
	}
	b, err := os.ReadFile(filepath.Join(t.root, file))
	if err != nil {
		b = nil
	}
	t.texts[file] = string(b)
	return t.texts[file], err == nil
}

// resolve finds the file that a script includes.
func (t *Tree) resolve(name, by, suite string) (file string, ok bool) {
	name = strings.Trim(name, `"';`)
	if name == "" || strings.ContainsRune(name, '$') {
		return "", false
	}
	for _, dir := range []string{suite, "", path.Dir(by)} {
		file = path.Join(dir, name)
		if _, ok := t.read(file); ok {
			return file, true
		}
	}
	return "", false
}

// suiteOf is the directory against which a test's includes are resolved: the one above t.
func suiteOf(test string) string {
	dir := path.Dir(test)
	if path.Base(dir) == "t" {
		return path.Dir(dir)
	}
	return dir
}

var modeOption = regexp.MustCompile(`(?i)--(?:loose-)?sql[-_]mode=["']?([\w,]*)`)

// run walks through one script as mysqltest begins it.
func (t *Tree) run(file string, p *places, emit func(Statement)) {
	global := newSession(nil)
	for _, ext := range []string{".opt", "-master.opt"} {
		if options, ok := t.read(strings.TrimSuffix(file, path.Ext(file)) + ext); ok {
			if m := modeOption.FindStringSubmatch(options); m != nil {
				global.mode = parseModes(m[1])
			}
		}
	}
	s := &script{tree: t, suite: suiteOf(file), places: p, emit: emit, global: global, delimiter: ";"}
	s.current = newSession(global)
	s.sessions = map[string]*session{"default": s.current}
	s.run(file, 0)
}

// Load gives the different statements of all scripts, each where it stands first. Scripts that others include are read there, and on their
// own if nobody includes them.
func Load(root string) ([]Statement, Counts, error) {
	t, err := open(root)
	if err != nil {
		return nil, Counts{}, err
	}
	all := newPlaces()
	seen := map[Key]bool{}
	var list []Statement
	emit := func(s Statement) {
		if key := s.Key(); !seen[key] {
			seen[key] = true
			list = append(list, s)
		}
	}
	for _, file := range t.tests {
		t.run(file, all, emit)
	}
	for _, file := range t.rest {
		if _, included := t.texts[file]; !included {
			t.run(file, all, emit)
		}
	}
	scripts := 0
	for file, text := range t.texts {
		if ext := path.Ext(file); text != "" && (ext == ".test" || ext == ".inc") {
			scripts++
		}
	}
	return list, Counts{Scripts: scripts, Texts: len(all.texts), Variables: len(all.variables), Lost: len(all.lost)}, nil
}

// Key is what makes a statement different from others.
type Key struct{ Text, Mode, Charset string }

// Key is what makes s different from others.
func (s *Statement) Key() Key { return Key{s.Text, s.Mode, s.Charset} }

// utf8Charset is the character set of texts that name none and are valid in it, as those of pure ASCII are.
const utf8Charset = "utf8mb4"

// textCharset is the character set in which a text is judged: the one that the connection has, except that the default (latin1, in which
// each byte is a character) gives way to UTF-8 for texts that are written in it.
func textCharset(text, charset string) string {
	ascii := true
	for i := range len(text) {
		ascii = ascii && text[i] < 0x80
	}
	switch {
	case ascii:
		return utf8Charset
	case charset == "utf8" || charset == "utf8mb3":
		return utf8Charset
	case charset != "":
		return charset
	case utf8.ValidString(text):
		return utf8Charset
	}
	return "latin1"
}
