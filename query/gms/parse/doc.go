// Package parse reads MariaDB's texts with go-mysql-server's parser. What only MariaDB's grammar has is rewritten and tried again, what
// the parser reads otherwise than MariaDB is repaired in the text before or in the tree afterwards, and what it takes though nothing here
// does what it says is refused.
package parse
