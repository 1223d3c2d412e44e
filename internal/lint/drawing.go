package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// drawingFile holds the drawing of the import table; drawing makes all of it.
const drawingFile = "docs/packages.md"

// layers are the frames of the drawing, from the top: which packages, by the first part of their path.
var layers = []struct {
	name  string
	roots []string
}{
	{"programs", []string{"cmd", ".", "examples", "bench"}},
	{"server", []string{"clone", "server", "option", "wire"}},
	{"SQL", []string{"query"}},
	{"transactions", []string{"store", "commit", "replay", "txn", "replication"}},
	{"engines", []string{"engine", "catalog", "row"}},
	{"log", []string{"binlog", "logpos", "gtid", "mysql"}},
}

// collapsed are drawn as one package: what is in them has a drawing of its own, or is of no interest here.
var collapsed = []string{"query", "bench", "examples"}

func root(pkg string) string {
	first, _, _ := strings.Cut(pkg, "/")
	return first
}

// drawing is docs/packages.md: the import table as drawings, in which an arrow that follows from others is left out.
func drawing() string {
	whole := graph{}
	for pkg, imports := range mayImport {
		from := collapse(pkg)
		if root(pkg) == "internal" {
			continue
		}
		whole.node(from)
		for _, to := range strings.Fields(imports) {
			if to = collapse(to); to != from && root(to) != "internal" {
				whole.edge(from, to)
			}
		}
	}
	inside := graph{}
	for pkg, imports := range mayImport {
		if root(pkg) != "query" {
			continue
		}
		inside.node(pkg)
		for _, to := range strings.Fields(imports) {
			if root(to) == "query" {
				inside.edge(pkg, to)
			}
		}
	}
	var b strings.Builder
	b.WriteString(`# The packages and their arrows

Made by ` + "`go run ./internal/lint -drawing > " + drawingFile + "`" + ` from the import table in internal/lint/imports.go; ` + "`make lint`" + ` says
when it is stale. An arrow means "imports", and one that follows from others is not drawn: server imports logpos, by way
of nearly everything. Packages below internal, and those that are made for tests, are left out.

` + "```mermaid\nflowchart TD\n")
	for i, layer := range layers {
		fmt.Fprintf(&b, "    subgraph layer%d [%s]\n", i, layer.name)
		for _, pkg := range whole.nodes() {
			if slices.Contains(layer.roots, root(pkg)) {
				fmt.Fprintf(&b, "        %s[%q]\n", identifier(pkg), label(pkg))
			}
		}
		b.WriteString("    end\n")
	}
	whole.write(&b)
	b.WriteString("```\n\nInside `query`:\n\n```mermaid\nflowchart TD\n")
	for _, pkg := range inside.nodes() {
		fmt.Fprintf(&b, "    %s[%q]\n", identifier(pkg), label(pkg))
	}
	inside.write(&b)
	b.WriteString("```\n")
	return b.String()
}

func collapse(pkg string) string {
	if r := root(pkg); slices.Contains(collapsed, r) {
		return r
	}
	return pkg
}

func label(pkg string) string {
	switch {
	case pkg == ".":
		return "duramen"
	case slices.Contains(collapsed, pkg) && pkg != "query":
		return pkg + "/..."
	}
	return pkg
}

func identifier(pkg string) string {
	if pkg == "." {
		return "duramen"
	}
	return strings.ReplaceAll(pkg, "/", "_")
}

// undrawn is a package of the table without a layer, or "".
func undrawn() string {
	for _, pkg := range slices.Sorted(maps.Keys(mayImport)) {
		known := root(pkg) == "internal"
		for _, layer := range layers {
			known = known || slices.Contains(layer.roots, root(pkg))
		}
		if !known {
			return pkg
		}
	}
	return ""
}

// graph has the successors of each node.
type graph map[string]map[string]bool

func (g graph) node(n string) {
	if g[n] == nil {
		g[n] = map[string]bool{}
	}
}

func (g graph) edge(from, to string) {
	g.node(from)
	g.node(to)
	g[from][to] = true
}

func (g graph) nodes() []string { return slices.Sorted(maps.Keys(g)) }

// reaches reports whether a path leads from one node to another, other than by the arrow between them.
func (g graph) reaches(from, to string) bool {
	seen := map[string]bool{}
	var visit func(n string) bool
	visit = func(n string) bool {
		for next := range g[n] {
			if next == to && n != from {
				return true
			}
			if !seen[next] && next != to {
				seen[next] = true
				if visit(next) {
					return true
				}
			}
		}
		return false
	}
	return visit(from)
}

func (g graph) write(b *strings.Builder) {
	for _, from := range g.nodes() {
		for _, to := range slices.Sorted(maps.Keys(g[from])) {
			if !g.reaches(from, to) {
				fmt.Fprintf(b, "    %s --> %s\n", identifier(from), identifier(to))
			}
		}
	}
}
