// Command breakage shows that the crash laboratory can fail: it makes the storage wrong on purpose, one
// deliberate breakage after the other, and runs the laboratory, which has to notice.
//
// A breakage replaces text in source files (see list.go); the tests are compiled with go's -overlay, so that the
// tree stays as it is (and without cgo and with the mutex of internal/steadymutex, so that seeds repeat). An old text has to occur exactly once in its file: a breakage that no longer
// applies is an error, as is one that survives.
//
//	go run ./internal/breakage              all of them
//	go run ./internal/breakage sync purge   those whose names contain one of the words
//	go run ./internal/breakage -check       only look whether all apply
//	go run ./internal/breakage -slice 3/7   the 3rd, 10th, 17th … of the list
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	steadymutex "github.com/duramendb/duramen/internal/steadymutex/overlay"
)

// edit replaces text in a file.
type edit struct{ file, old, new string }

// breakage is one way to be wrong.
type breakage struct {
	name  string
	edits []edit
	// lab is what has to fail; nil means the exact crash laboratory.
	lab *lab
}

// lab is a test.
type lab struct {
	pkg, run string
	env      []string
}

var tags = "-tags=gms_pure_go"

func main() {
	check := flag.Bool("check", false, "only look whether all breakages apply")
	build := flag.Bool("build", false, "only look whether what they break still compiles, which takes minutes")
	seeds := flag.Int("seeds", 12000, "seeds that the crash laboratory may take to notice one")
	slice := flag.String("slice", "", "i/n: every n-th breakage, beginning with the i-th")
	parallel := flag.Int("parallel", runtime.NumCPU(), "how many are tried at the same time")
	timeout := flag.Duration("timeout", 4*time.Minute, "time for one breakage, without compiling")
	flag.Parse()
	chosen, err := choose(list, *slice, flag.Args())
	if err == nil {
		err = checkAll(chosen)
	}
	switch {
	case err != nil || *check:
	case *build:
		err = buildAll(chosen, *parallel)
	default:
		err = runAll(chosen, *seeds, *parallel, *timeout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	switch {
	case *check:
		fmt.Printf("%d breakages apply\n", len(chosen))
	case *build:
		fmt.Printf("%d breakages compile\n", len(chosen))
	}
}

func choose(list []breakage, slice string, words []string) ([]breakage, error) {
	first, step := 1, 1
	if slice != "" {
		if _, err := fmt.Sscanf(slice, "%d/%d", &first, &step); err != nil || first < 1 || first > step {
			return nil, fmt.Errorf("-slice %q is not i/n", slice)
		}
	}
	var chosen []breakage
	for i := first - 1; i < len(list); i += step {
		wanted := len(words) == 0
		for _, w := range words {
			wanted = wanted || strings.Contains(list[i].name, w)
		}
		if wanted {
			chosen = append(chosen, list[i])
		}
	}
	return chosen, nil
}

// checkAll reports breakages that do not apply.
func checkAll(list []breakage) error {
	var errs []error
	for _, b := range list {
		if _, err := b.apply(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// buildAll reports breakages that do not compile.
func buildAll(list []breakage, parallel int) error {
	temp, err := os.MkdirTemp("", "breakage")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }() // in /tmp
	errs := make([]error, len(list))
	each(len(list), parallel, func(i int) { errs[i] = list[i].build(filepath.Join(temp, fmt.Sprint(i))) })
	return errors.Join(errs...)
}

// each calls a function with the numbers below n, some at the same time.
func each(n, parallel int, do func(i int)) {
	todo := make(chan int)
	var wg sync.WaitGroup
	for range parallel {
		wg.Go(func() {
			for i := range todo {
				do(i)
			}
		})
	}
	for i := range n {
		todo <- i
	}
	close(todo)
	wg.Wait()
}

// build compiles the packages that the edits are in.
func (b breakage) build(dir string) error {
	overlay, err := b.overlay(dir)
	if err != nil {
		return err
	}
	args := []string{"build", tags, "-o", os.DevNull, "-overlay", overlay}
	for _, e := range b.edits {
		args = append(args, "./"+filepath.Dir(e.file))
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: does not compile: %w\n%s", b.name, err, out)
	}
	return nil
}

// apply makes the edits, and returns the new contents of the files, by name.
func (b breakage) apply() (map[string]string, error) {
	files := map[string]string{}
	for _, e := range b.edits {
		text, ok := files[e.file]
		if !ok {
			data, err := os.ReadFile(e.file)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", b.name, err)
			}
			text = string(data)
		}
		if n := strings.Count(text, e.old); n != 1 {
			return nil, fmt.Errorf("%s: %s has this %d times, not once:\n%s", b.name, e.file, n, e.old)
		}
		files[e.file] = strings.Replace(text, e.old, e.new, 1)
	}
	return files, nil
}

// verdict is how it went with one breakage.
type verdict struct {
	breakage
	caughtBy string // "" if it survived
	detail   string
	took     time.Duration
}

func runAll(list []breakage, seeds, parallel int, timeout time.Duration) error {
	started := time.Now()
	temp, err := os.MkdirTemp("", "breakage")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }() // in /tmp
	verdicts := make([]verdict, len(list))
	each(len(list), parallel, func(i int) {
		begun := time.Now()
		verdicts[i] = list[i].try(filepath.Join(temp, fmt.Sprint(i)), seeds, timeout)
		verdicts[i].took = time.Since(begun)
		fmt.Fprintf(os.Stderr, "%-60s %-12s %6.1fs  %s\n", list[i].name, verdicts[i].word(), verdicts[i].took.Seconds(), verdicts[i].detail)
	})
	fmt.Printf("\n| breakage | caught by | seconds (with compiling) |\n|---|---|---|\n")
	survived := 0
	for _, v := range verdicts {
		if v.caughtBy == "" {
			survived++
		}
		fmt.Printf("| %s | %s | %.0f |\n", v.name, v.word(), v.took.Seconds())
	}
	fmt.Printf("\n%d breakages, %d survived, %s\n", len(list), survived, time.Since(started).Round(time.Second))
	if survived > 0 {
		return errors.New("the laboratory did not notice everything that is wrong")
	}
	return nil
}

func (v verdict) word() string {
	if v.caughtBy == "" {
		return "SURVIVED"
	}
	return v.caughtBy
}

// try builds the broken store and runs the laboratory on it.
func (b breakage) try(dir string, seeds int, timeout time.Duration) verdict {
	v := verdict{breakage: b}
	fail := func(err error) verdict {
		v.detail = err.Error()
		return v
	}
	overlay, err := b.overlay(dir)
	if err != nil {
		return fail(err)
	}
	l := b.lab
	if l == nil {
		l = &lab{pkg: "./store/crashtest", run: "^TestExact$"}
	}
	binary := filepath.Join(dir, "lab.test")
	build := exec.Command("go", "test", tags, "-overlay", overlay, "-c", "-o", binary, l.pkg)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fail(fmt.Errorf("does not compile: %w\n%s", err, out))
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	run := exec.CommandContext(ctx, binary, "-test.run="+l.run, "-test.count=1", "-test.timeout="+hang(l).String())
	run.Dir = l.pkg
	// A property that fails, as it shall, leaves no file in the tree for the next run to repeat.
	run.Env = append(append(os.Environ(), "RAPID_NOFAILFILE=true", "SEED=1", fmt.Sprintf("SEEDS=%d", seeds), "PARALLEL=1", "FAILFAST=1"), l.env...)
	out, err := run.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		v.detail = "not noticed in the time given"
	case err != nil:
		v.caughtBy, v.detail = caught(l, out)
	}
	return v
}

// hang is after which time a test counts as hanging, which is a way to notice.
func hang(l *lab) time.Duration {
	const unitTest = 60 * time.Second
	if l.pkg == "./store/crashtest" {
		return 0 // it takes care of that itself
	}
	return unitTest
}

// overlay writes the broken files and the list of them that -overlay wants.
func (b breakage) overlay(dir string) (string, error) {
	files, err := b.apply()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range files {
		abs, err := filepath.Abs(name)
		if err != nil {
			return "", err
		}
		broken := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(broken, []byte(text), 0o644); err != nil {
			return "", err
		}
		replace[abs] = broken
	}
	return steadymutex.Write(dir, replace)
}

var seedPattern = regexp.MustCompile(`seed (\d+)`)

// caught says what noticed it, and the first thing that was said about it.
func caught(l *lab, out []byte) (by, detail string) {
	by = strings.Trim(l.run, "^$")
	if m := seedPattern.FindSubmatch(out); m != nil {
		by += " seed " + string(m[1])
	}
	return by, firstLine(out)
}

func firstLine(out []byte) string {
	const width = 200
	for line := range bytes.Lines(out) {
		text := strings.TrimSpace(string(line))
		if text == "" || strings.HasPrefix(text, "---") || strings.HasPrefix(text, "===") {
			continue
		}
		if len(text) > width {
			text = text[:width]
		}
		return text
	}
	return ""
}
