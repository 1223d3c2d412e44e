// Package enginetest is the conformance suite of engines: what package engine
// promises, as tests that every implementation runs. Memory is the smallest
// engine that passes, for tests of what stands on engines.
package enginetest
