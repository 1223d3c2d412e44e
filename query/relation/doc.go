// Package relation has tables as SQL of our own sees them: the types of their columns, and how these are read out of row images and written into
// them.
package relation
