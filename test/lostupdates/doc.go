// Package lostupdates lets 16 clients add to the same rows in all the ways a
// client can, and adds up.
package lostupdates
