// Package overlay writes files for go's flag -overlay with which sync.Mutex and the scheduler of goroutines do not look at the
// clock; see the command steadymutex.
package overlay

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// replacement is a text in a file of the standard library, and what comes into its place.
type replacement struct{ file, is, becomes string }

// replacements take away what a program's goroutines have to do with the clock. Whoever has waited for a mutex for long does not go
// first; and on one processor nobody has to give way who has run for long, or is in a system call for long.
var replacements = []replacement{
	{"src/internal/sync/mutex.go", "starvationThresholdNs = 1e6", "starvationThresholdNs = 1 << 60"},
	{"src/runtime/proc.go", "func retake(now int64) uint32 {\n", "func retake(now int64) uint32 {\n\tif gomaxprocs == 1 {\n\t\treturn 0\n\t}\n"},
}

// Write writes an overlay into dir, which it makes, and returns its name. more are further files to replace, and
// by which, both with absolute names.
func Write(dir string, more map[string]string) (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for _, c := range replacements {
		original := filepath.Join(strings.TrimSpace(string(root)), filepath.FromSlash(c.file))
		data, err := os.ReadFile(original)
		if err != nil {
			return "", fmt.Errorf("a file of the standard library: %w", err)
		}
		if strings.Count(string(data), c.is) != 1 {
			return "", fmt.Errorf("%s does not have %q once: this version of Go has another one", original, c.is)
		}
		replace[original] = filepath.Join(dir, filepath.Base(c.file))
		if err := replaceFile(replace[original], []byte(strings.Replace(string(data), c.is, c.becomes, 1))); err != nil {
			return "", err
		}
	}
	maps.Copy(replace, more)
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, replaceFile(path, list)
}

// replaceFile writes a file that others may be reading.
func replaceFile(name string, data []byte) error {
	temp := fmt.Sprintf("%s.%d", name, os.Getpid())
	if err := os.WriteFile(temp, data, 0o644); err != nil {
		return err
	}
	return os.Rename(temp, name)
}
