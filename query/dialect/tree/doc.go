// Package tree is what a statement of MariaDB's language means, as a tree: immutable, with the place in the text of every node, and able
// to print itself back.
//
// A node is a small struct with a Span, and one file has the nodes of one family together with how they are printed. What a
// clause can leave out is nil, or the zero value. Spelling is not kept: != is the operator <>, parentheses are where the tree needs them, and
// synonyms are one node with one value. What the text says and the tree does not keep would be lost, so there is no such thing.
package tree
