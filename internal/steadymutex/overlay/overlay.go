// Package overlay writes files for go's flag -overlay that replace sync.Mutex by one that does not look at the
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

// What is replaced in the file of the standard library that has the mutex.
const (
	mutexFile = "src/internal/sync/mutex.go"
	threshold = "starvationThresholdNs = 1e6"
	never     = "starvationThresholdNs = 1 << 62"
)

// Write writes an overlay into dir, which it makes, and returns its name. more are further files to replace, and
// by which, both with absolute names.
func Write(dir string, more map[string]string) (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	original := filepath.Join(strings.TrimSpace(string(root)), filepath.FromSlash(mutexFile))
	data, err := os.ReadFile(original)
	if err != nil {
		return "", fmt.Errorf("the mutex of the standard library: %w", err)
	}
	if strings.Count(string(data), threshold) != 1 {
		return "", fmt.Errorf("%s does not have %q once: this version of Go has another mutex", original, threshold)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	mutex := filepath.Join(dir, "mutex.go")
	if err := replaceFile(mutex, []byte(strings.Replace(string(data), threshold, never, 1))); err != nil {
		return "", err
	}
	replace := map[string]string{original: mutex}
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
