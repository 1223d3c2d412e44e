// Package enginetest is the conformance suite of engines: what package engine
// promises, as tests that every implementation runs.
package enginetest
