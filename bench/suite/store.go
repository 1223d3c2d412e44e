package suite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

const (
	infoFile    = "run.json"
	resultsFile = "results.jsonl"
)

// ErrOtherRun is returned when a directory has the results of a run with another configuration.
var ErrOtherRun = errors.New("the directory has results of a run with another configuration")

// Load reads the results in a directory. Of several for one turn the last counts. An
// unfinished last line is passed over.
func Load(dir string) (*Info, []Result, error) {
	text, err := os.ReadFile(filepath.Join(dir, infoFile))
	if err != nil {
		return nil, nil, fmt.Errorf("no results in %s: %w", dir, err)
	}
	var info Info
	if err := json.Unmarshal(text, &info); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", filepath.Join(dir, infoFile), err)
	}
	results, _, err := readResults(filepath.Join(dir, resultsFile))
	return &info, results, err
}

// readResults also tells how many bytes of the file are whole lines.
func readResults(path string) (results []Result, whole int64, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	at := map[Turn]int{}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	for n, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var r Result
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, 0, fmt.Errorf("%s, line %d: %w", path, n+1, err)
		}
		if (r.Measured == nil) == (r.Failed == "") {
			return nil, 0, fmt.Errorf("%s, line %d: neither a measurement nor a failure", path, n+1)
		}
		if i, again := at[r.Turn]; again {
			results[i] = r
			continue
		}
		at[r.Turn] = len(results)
		results = append(results, r)
	}
	return results, int64(len(text)), nil
}

// store is the directory of a run that is under way.
type store struct {
	dir     string
	info    Info
	done    map[Turn]bool // have been measured
	results *os.File
}

// openStore begins or resumes a run.
func openStore(dir string, info Info) (*store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the directory for results: %w", err)
	}
	s := &store{dir: dir, info: info, done: map[Turn]bool{}}
	old, _, err := Load(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		if err := sameConfig(old.Config, info.Config); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		s.info.Started, s.info.Servers = old.Started, old.Servers
	}
	path := filepath.Join(dir, resultsFile)
	results, whole, err := readResults(path)
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		if r.Measured != nil {
			s.done[r.Turn] = true
		}
	}
	if s.results, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644); err != nil {
		return nil, err
	}
	if err := lock(s.results); err != nil {
		return nil, errors.Join(fmt.Errorf("another run writes to %s: %w", dir, err), s.close())
	}
	err = s.results.Truncate(whole)
	if err == nil {
		_, err = s.results.Seek(0, io.SeekEnd)
	}
	if err == nil {
		err = s.writeInfo()
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *store) close() error { return s.results.Close() }

func (s *store) writeInfo() error {
	text, err := json.MarshalIndent(s.info, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(s.dir, infoFile)
	// In one step, so that a run that is killed can be resumed.
	if err := os.WriteFile(path+".tmp", append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}

func (s *store) add(r Result) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if _, err := s.results.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("keep a result: %w", err)
	}
	return nil
}

// sameConfig compares field by field, as JSON has them: what was read back lacks passwords.
func sameConfig(old, now Config) error {
	fields := func(c Config) (map[string]any, error) {
		text, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		var m map[string]any
		return m, json.Unmarshal(text, &m)
	}
	a, err := fields(old)
	if err != nil {
		return err
	}
	b, err := fields(now)
	if err != nil {
		return err
	}
	var different []string
	for name, v := range b {
		if !reflect.DeepEqual(a[name], v) {
			different = append(different, fmt.Sprintf("%s was %v, is %v", name, a[name], v))
		}
	}
	for name, v := range a {
		if _, there := b[name]; !there {
			different = append(different, fmt.Sprintf("%s was %v", name, v))
		}
	}
	if len(different) > 0 {
		return fmt.Errorf("%w: %s", ErrOtherRun, strings.Join(different, "; "))
	}
	return nil
}
