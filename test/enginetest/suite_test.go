package enginetest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

// childEnv names the backend in a child process; in the parent it is not set.
const childEnv = "DURAMEN_ENGINETEST_CHILD"

// panicsFollowed bounds how often a function is continued after a panic.
const panicsFollowed = 25

// TestChild is what a child process runs: the test functions themselves.
func TestChild(t *testing.T) {
	var b backend
	switch os.Getenv(childEnv) {
	case "":
		t.Skip("run by TestSuite in a process of its own")
	case "memory":
		b = memoryBackend{}
	default:
		b = sessionBackend{}
		startJudge(t)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, b) })
	}
}

// TestSuite runs every function in a child process and compares the outcomes
// with the list of known failures.
func TestSuite(t *testing.T) {
	if os.Getenv(childEnv) != "" {
		t.Skip("this is the child")
	}
	backend := os.Getenv("DURAMEN_ENGINETEST_BACKEND")
	if backend == "" {
		backend = "duramen"
	}
	names := chosen(t)
	got, found := runAll(t, backend, names)
	if backend == "memory" {
		writeMemory(t, names, got)
		return
	}
	if again := doubted(readKnown(t), got, found); len(again) > 0 {
		_, second := runAll(t, backend, again)
		for name, cause := range second {
			if cause == asMariaDB {
				found[name] = cause
			}
		}
	}
	compare(t, names, got, found)
}

// doubted are the functions with a test whose cause the judge has not confirmed. They run once more: what a statement says of the clock, MariaDB
// says a moment later.
func doubted(known map[string]string, got results, found map[string]string) (functions []string) {
	if !wantsJudge() {
		return nil
	}
	for _, name := range got.failures() {
		function, _, _ := strings.Cut(name, "/")
		if known[name] == asMariaDB && found[name] != asMariaDB && !slices.Contains(functions, function) {
			functions = append(functions, function)
		}
	}
	return functions
}

// chosen gives the functions to run.
func chosen(t *testing.T) []string {
	t.Helper()
	var names []string
	only := os.Getenv("DURAMEN_ENGINETEST")
	for _, test := range tests {
		if only != "" && !slices.Contains(strings.Split(only, ","), test.name) {
			continue
		}
		if only == "" && !peer.Full() && slow[test.name] {
			continue
		}
		names = append(names, test.name)
	}
	if len(names) == 0 {
		t.Fatalf("DURAMEN_ENGINETEST=%s names no test function", only)
	}
	return names
}

// runAll gives the outcomes, and the causes that a judge has found.
func runAll(t *testing.T, backend string, names []string) (results, map[string]string) {
	t.Helper()
	dir := workDir(t)
	all, found := results{}, map[string]string{}
	judged := backend != "memory" && wantsJudge()
	var mu sync.Mutex
	var wg sync.WaitGroup
	next := make(chan string)
	for range max(2, runtime.GOMAXPROCS(0)) {
		var env []string
		if judged {
			env = append(env, judgeServer(t))
		}
		wg.Go(func() {
			for name := range next {
				begin := time.Now()
				r, same := runFunction(t, dir, backend, name, env)
				mu.Lock()
				maps.Copy(all, r)
				maps.Copy(found, same)
				mu.Unlock()
				t.Logf("%-45s %6d passed %5d failed  %v", name, r.passes(), len(r.failures()), time.Since(begin).Round(100*time.Millisecond))
			}
		})
	}
	for _, name := range names {
		next <- name
	}
	close(next)
	wg.Wait()
	return all, found
}

// workDir is a directory as the functions expect it: with the testdata of
// go-mysql-server's package, which they load and write beside.
func workDir(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/dolthub/go-mysql-server")
	module, err := cmd.Output()
	if err != nil {
		t.Fatalf("looking for go-mysql-server's sources: %v", err)
	}
	dir := t.TempDir()
	source := filepath.Join(strings.TrimSpace(string(module)), "enginetest", "testdata")
	if err := os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// runFunction runs one test function; after a panic it runs it again without
// the test that panicked.
func runFunction(t *testing.T, dir, backend, name string, env []string) (results, map[string]string) {
	var avoid []string
	var all results
	found := map[string]string{}
	for {
		r, output, complete := runChild(dir, backend, name, avoid, env)
		culprit := r.unfinished()
		maps.Copy(found, judged(output))
		for _, a := range avoid {
			r[a] = failed
		}
		all = r
		if complete || culprit == "" || len(avoid) == panicsFollowed {
			for n, o := range all {
				if o == started {
					all[n] = failed
				}
			}
			if !complete && len(avoid) == panicsFollowed {
				t.Logf("%s: gave up after %d panics", name, panicsFollowed)
			}
			if len(all) == 0 {
				t.Errorf("%s did not run:\n%s", name, tail(output, 3000))
			}
			return all, found
		}
		t.Logf("%s broke off the process:\n%s", culprit, firstPanic(output))
		avoid = append(avoid, culprit)
		if culprit == name {
			all[name] = failed
			return all, found
		}
	}
}

func runChild(dir, backend, name string, avoid, env []string) (r results, output []byte, complete bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	args := []string{"-test.run=^TestChild$/^" + name + "$", "-test.v=test2json", "-test.timeout=10m"}
	if len(avoid) > 0 {
		var patterns []string
		for _, a := range avoid {
			patterns = append(patterns, pattern("TestChild/"+a))
		}
		args = append(args, "-test.skip="+strings.Join(patterns, "|"))
	}
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(append(os.Environ(), env...), childEnv+"="+backend)
	cmd.Dir = dir
	var buf bytes.Buffer
	cmd.Stdout, cmd.Stderr = &buf, &buf
	_ = cmd.Run() // what failed is in the output
	output = buf.Bytes()
	if dir := os.Getenv("DURAMEN_ENGINETEST_OUTPUT"); dir != "" {
		_ = os.WriteFile(dir+"/"+name+".txt", output, 0o644)
	}
	r = parse(output)
	return r, output, r[name] != started && r[name] != ""
}

// pattern matches exactly one test name.
func pattern(name string) string {
	elements := strings.Split(name, "/")
	for i, e := range elements {
		elements[i] = "^" + regexp.QuoteMeta(e) + "$"
	}
	return strings.Join(elements, "/")
}

func firstPanic(output []byte) string {
	for _, mark := range []string{"panic: ", "fatal error: "} {
		if i := bytes.Index(output, []byte(mark)); i >= 0 {
			return string(output[i:min(len(output), i+1500)])
		}
	}
	return tail(output, 1500)
}

func tail(b []byte, n int) string { return string(b[max(0, len(b)-n):]) }

// compare compares the outcomes with what is on file.
func compare(t *testing.T, names []string, got results, found map[string]string) {
	t.Helper()
	known := readKnown(t)
	baseline := readMemory(t)
	chosen := func(test string) bool {
		function, _, _ := strings.Cut(test, "/")
		return slices.Contains(names, function)
	}
	var unexpected []string
	for _, f := range got.failures() {
		if _, ok := known[f]; !ok {
			unexpected = append(unexpected, f)
		}
	}
	var mended []string
	for name := range known {
		if chosen(name) && got[name] == passed {
			mended = append(mended, name)
		}
	}
	slices.Sort(mended)

	pass, possible := got.passes(), 0
	for _, name := range names {
		possible += baseline[name]
	}
	share := 100 * float64(pass) / float64(max(possible, 1))
	asOurs := 0
	for _, f := range got.failures() {
		if known[f] == asMariaDB {
			asOurs++
		}
	}
	t.Logf("%d tests passed of the %d that go-mysql-server's memory backend passes: %.2f %%; %d failed, %d of them because MariaDB answers otherwise than MySQL, and we as MariaDB",
		pass, possible, share, len(got.failures()), asOurs)
	if os.Getenv("DURAMEN_ENGINETEST_UPDATE") == "1" && !t.Failed() {
		writeKnown(t, known, got.failures(), found, chosen)
		return
	}
	for _, name := range unexpected {
		t.Errorf("fails, and is not in testdata/known_failures: %s", name)
	}
	if wantsJudge() {
		for _, name := range got.failures() {
			if known[name] == asMariaDB && found[name] != asMariaDB {
				t.Errorf("testdata/known_failures says that %s; the judge found %q: %s", asMariaDB, found[name], name)
			}
		}
	}
	for _, name := range mended {
		t.Errorf("passes now, take it out of testdata/known_failures: %s", name)
	}
	if len(unexpected) > 0 {
		fmt.Println("DURAMEN_ENGINETEST_OUTPUT=<directory> keeps the output of each function")
	}
}
