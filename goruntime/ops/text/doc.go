// Package text holds the operators on strings. Strings are UTF-8; nothing depends
// on the locale of the machine.
package text
