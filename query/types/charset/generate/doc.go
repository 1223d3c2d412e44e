// Command generate writes package charset's tables: it asks a running MariaDB 10.11, to which -dsn is the way, and writes the files of
// -out. It makes a database charset_generate there and removes it at the end.
//
//	go run -tags gms_pure_go ./query/types/charset/generate -dsn 'root@tcp(127.0.0.1:3307)/' -out query/types/charset/data
//
// What the files mean is told where package charset reads them.
//
// Contractions cannot be listed, only found: two characters form one if their weights together are not those of both. All pairs of Unicode would be
// too many, so pairs are asked for inside each block of 256 code points of the scripts, of letters with Latin letters and combining marks, and, for a tailoring,
// inside the blocks that it changes. Longer ones are looked for among Latin letters with marks, in the Myanmar block, and by
// adding a character to each one found.
package main
