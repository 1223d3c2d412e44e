// Package decimal is MariaDB's DECIMAL: exact numbers with the precision, the cutting and the overflow of version 10.11.
//
// A [Dec] has a coefficient and a scale. Up to 38 digits the coefficient lies in 128 bits of the value itself, and
// nothing is allocated; above that, in nine-digit words beside it. A Dec is immutable and may be copied and shared.
//
// # Words are the law
//
// MariaDB computes with words of nine digits, counted from the point in both directions, nine of them at most. That shows
// in results, so it is followed here:
//
//   - A quotient has whole words after its point and is cut there, not rounded: 1/3 is 0.333333333, and (1/3)*3000000000
//     is 999999999.
//   - A result that needs more than nine words loses words of its fraction ([Truncated]); if the integer part alone needs
//     more, that is [Overflow] (error 1690).
//   - A product for which words lack is computed from shortened factors, so that its last digits may be wrong.
//   - Remainders and cut quotients of negative numbers may be zero with a sign: -4.0%2.0 is -0.0, which is below 0.
//
// How many words an integer part needs is estimated from the operands, by digits that may be leading zeros. Each Dec
// carries this count besides its value, so that digits get lost, and Overflow comes, where MariaDB has it. Two values
// that [Cmp] finds equal may differ in it, as in their scale.
//
// The arithmetic on words is the reference; the one on 128 bits takes what it can prove to end the same, and leaves
// everything else to the words. Tests hold them against each other, against exact arithmetic, and against a real server.
//
// What is reported as a [Cond] is no error of this package: the caller knows whether it is an error, a warning or a note
// in his statement. An operator's result is rounded to its type's scale ([AddType] and its like) where it is printed,
// stored or compared, not before.
package decimal
