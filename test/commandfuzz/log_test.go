package commandfuzz

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
)

var (
	// panicked is a panic that the server has recovered from, its own or one of go-mysql-server.
	panicked = regexp.MustCompile(`msg="(?:statement panicked|panic in connection|panic while closing session|go-mysql-server failed at a statement)"`)
	what     = regexp.MustCompile(`panic=("(?:[^"\\]|\\.)*"|\S+)`)
	digits   = regexp.MustCompile(`\d+`)
	frame    = regexp.MustCompile(`\\n([a-z][^\\ ]*)\([^\\]*\\n\\t`)
)

// panics are the recovered panics that the server's log tells of: where each was, and the statements of the
// connections that met it.
type panics struct {
	mu    sync.Mutex
	lines map[string]bool
	seen  map[string][][]string
}

func (p *panics) add(line string, sent []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines[line] = true
	at := origin(line)
	p.seen[at] = append(p.seen[at], slices.Clone(sent))
}

// others takes those of the whole log that belong to no connection of a client.
func (p *panics) others(log string) {
	for line := range strings.Lines(log) {
		if panicked.MatchString(line) && !p.lines[line] {
			p.add(line, nil)
		}
	}
}

// String is empty if there were none.
func (p *panics) String() string {
	var out strings.Builder
	for at, met := range p.seen {
		fmt.Fprintf(&out, "%d× %s\n", len(met), at)
		for _, sent := range met[:min(len(met), 3)] {
			fmt.Fprintf(&out, "\tsent: %q\n", sent)
		}
	}
	return out.String()
}

// origin says what a line of the log tells of a panic, and the functions in which it was.
func origin(line string) string {
	out := ""
	if m := what.FindStringSubmatch(line); m != nil {
		out = digits.ReplaceAllString(m[1], "N")
	}
	if _, below, ok := strings.Cut(line, `\npanic(`); ok { // above are those that recover
		line = below
	}
	n := 0
	for _, f := range frame.FindAllStringSubmatch(line, -1) {
		if n < 4 && !strings.HasPrefix(f[1], "runtime") {
			out += " " + f[1][strings.LastIndex(f[1], "/")+1:]
			n++
		}
	}
	return out
}

// logReader reads what is new in the server's log.
type logReader struct {
	path   string
	offset int64
	found  *panics
}

// look takes the panics of a connection, which has ended.
func (l *logReader) look(id uint32, sent []string) error {
	f, err := os.Open(l.path)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, l.offset, 1<<40))
	if err != nil {
		return err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	l.offset += int64(len(whole))
	own := regexp.MustCompile(fmt.Sprintf(`conn(?:ection)?=%d\b`, id))
	for line := range strings.Lines(string(whole)) {
		if panicked.MatchString(line) && own.MatchString(line) {
			l.found.add(line, sent)
		}
	}
	return nil
}
