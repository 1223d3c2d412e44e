// Package fulltext finds what MATCH (columns) AGAINST (text) asks for, and says how relevant each row is, as InnoDB of MariaDB 10.11 does.
//
// There is no stored index: a Search is asked twice for every row of the table. First it counts (Count), which needs the whole table, since a word is
// the more relevant the fewer rows have it; with query expansion it counts once more, the words of the rows that were found (Again, Expand).
// Then Rank is the relevance of a row, 0 for one that is not found. The memory that this takes is that of the query's words; only query
// expansion has the words of all rows that were found, which Charge is asked for.
//
// A document is the texts of the index's columns, in the index's order, nil for NULL. Its words are letters, digits and underscores of 3 to 84
// characters which are not among the stopwords; they are compared by the columns' collation, or, unless that is binary, by their lower case.
//
// The relevance is what InnoDB makes of it, in single precision: for each word that counts, how often the row has it, times the square of the
// logarithm of rows by rows that have the word. The operators of the boolean mode add 1 or take it away before. What is the same word in the
// query twice counts its rows twice, which makes another logarithm; a part of the query that InnoDB leaves out is left out.
//
// Two things are not as there, because they depend on what InnoDB has not cleared away: rows that were deleted or changed do not count any more,
// and a transaction finds the rows that it has changed itself.
package fulltext
