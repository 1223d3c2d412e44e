package consumers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Versions of what is fetched.
const (
	pythonLibrary = "mysql-replication==1.0.17"
	nodeLibrary   = "@vlasky/zongji@0.9.0"
	debezium      = "3.5.0.Final"
)

// program finds an interpreter, or skips.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("consumer not tested: %s is not installed", name)
	}
	return path
}

// fetch runs a package manager; the test is skipped when that fails, as then nothing about the server is known.
func fetch(t *testing.T, dir string, line ...string) {
	t.Helper()
	if out, err := command(dir, line...); err != nil {
		t.Skipf("consumer not tested: %s: %v\n%s", strings.Join(line, " "), err, tail(out))
	}
}

// cached gives the directory of something that is fetched once; fill fills it, if it is not there yet.
func cached(t *testing.T, name string, fill func(dir string)) string {
	t.Helper()
	root, err := os.UserCacheDir()
	if err != nil {
		root = t.TempDir()
	}
	root = filepath.Join(root, "duramen-test-consumers")
	dir := filepath.Join(root, name)
	if _, err := os.Stat(filepath.Join(dir, "complete")); err == nil {
		return dir
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	fill(dir)
	if err := os.WriteFile(filepath.Join(dir, "complete"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func testdata(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// installCanal builds the program in a module of its own: canal needs a great deal that nothing else here needs.
func installCanal(t *testing.T, work string) (string, []string) {
	binary := filepath.Join(work, "canal")
	fetch(t, testdata(t, "canal"), program(t, "go"), "mod", "download")
	if out, err := command(testdata(t, "canal"), "go", "build", "-o", binary, "."); err != nil {
		t.Fatalf("building the program: %v\n%s", err, out)
	}
	return "", []string{binary}
}

func installPython(t *testing.T, _ string) (string, []string) {
	python := program(t, "python3")
	dir := cached(t, strings.ReplaceAll(pythonLibrary, "==", "-"), func(dir string) {
		fetch(t, "", python, "-m", "venv", dir)
		fetch(t, "", filepath.Join(dir, "bin", "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", pythonLibrary)
	})
	return "", []string{filepath.Join(dir, "bin", "python"), testdata(t, "consumer.py")}
}

func installZongji(t *testing.T, _ string) (string, []string) {
	node, npm := program(t, "node"), program(t, "npm")
	dir := cached(t, strings.NewReplacer("/", "-", "@", "").Replace(nodeLibrary), func(dir string) {
		fetch(t, dir, npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", dir, nodeLibrary)
	})
	copyFile(t, testdata(t, "consumer.mjs"), filepath.Join(dir, "consumer.mjs")) // beside node_modules
	return dir, []string{node, "consumer.mjs"}
}

func installDebezium(t *testing.T, _ string) (string, []string) {
	mvn, java := program(t, "mvn"), program(t, "java")
	program(t, "javac")
	dir := cached(t, "debezium-"+debezium, func(dir string) {
		pom, err := os.ReadFile(testdata(t, "pom.xml"))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "pom.xml"), []byte(strings.ReplaceAll(string(pom), "VERSION", debezium)), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		fetch(t, dir, mvn, "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory="+filepath.Join(dir, "lib"))
	})
	return "", []string{java, "-Duser.timezone=UTC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", filepath.Join(dir, "lib", "*"), testdata(t, "Consumer.java")}
}
