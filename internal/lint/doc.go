// Command lint checks what go vet cannot know about this repository:
//
//   - the direction of imports: every package is in the table of imports.go, and
//     imports of ours only what stands beside it there;
//   - storage packages know nothing of SQL: neither go-mysql-server nor its parser;
//   - docs/packages.md is the drawing of that table;
//   - every file is formatted by gofmt;
//   - every package says in its package comment what it is;
//   - no mark of unfinished work is left in the code;
//   - a test awaits a condition instead of sleeping.
//
// It uses nothing but the standard library, so it runs wherever Go does.
package main
