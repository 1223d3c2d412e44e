// Package enginetest is the conformance suite of engines: what package engine
// promises, as tests that every implementation runs. Memory is the smallest
// engine that passes, for tests of what stands on engines.
//
// # What a test of an engine looks like
//
//	func TestConformance(t *testing.T) {
//		enginetest.Run(t, func(*testing.T) enginetest.Harness {
//			return enginetest.NewFiles(Kind{}, enginetest.Can{MarkResetter: true})
//		})
//	}
//
// Files is the harness of engines whose files are on the file system they are given (engine.Options): on one that loses power,
// fails and damages, at every operation. An engine that needs other files brings a harness of its own, with as many of
// the optional interfaces as it can; what the harness does not offer is not run.
//
// A harness declares the capabilities of its engines (Can). What is declared is tested, and what is not declared
// must not be there.
package enginetest
