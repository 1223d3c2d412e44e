// Package turns runs measurements in turns: A B C A B C ..., so that what
// disturbs the machine for a while disturbs all of them. It shows progress with the
// time that is left, and can be interrupted between and inside of turns.
package turns
