// Package pcre finds patterns of PCRE2 by backtracking: those with assertions that look around, references back, atomic groups, possessive
// quantifiers, recursion and conditions, which package regexp does not have.
//
// A pattern is read into a tree (parse.go), the tree becomes a program (compile.go), and a machine with a stack of its own runs it (match.go): neither
// a deep pattern nor a long text nests calls of Go without bound. A match has a number of steps that it may take, and a size that its
// stack may have. What is not certain to mean what it means to PCRE2 10.42 is refused with ErrUnsupported; what is wrong there is a SyntaxError, with its
// text.
package pcre
