package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Ended says how a step has ended.
type Ended struct {
	Began  time.Time     `json:"began"`
	Took   time.Duration `json:"took_ns"`
	Failed string        `json:"failed,omitempty"`
}

// state of a directory, by the names of steps.
type state map[string]Ended

const stateFile = "state.json"

func readState(dir string) (state, error) {
	s := state{}
	text, err := os.ReadFile(filepath.Join(dir, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, stateFile), err)
	}
	return s, nil
}

func (s state) write(dir string) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, stateFile)
	// In one step, so that whoever is killed can go on.
	if err := os.WriteFile(path+".tmp", append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}
