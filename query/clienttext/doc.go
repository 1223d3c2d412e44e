// Package clienttext makes UTF-8 of statements that clients send in another character set, and back.
//
// A server reads a statement as UTF-8: names, keywords and comments are converted when it arrives, so that the second byte of a character in
// sjis, which may be that of a backslash or of a quote, is gone. What a string literal means is told by its bytes in the client's character
// set, though: some have no code point, some share one, and some are no characters. So the conversion can be taken back: what would not come back
// as it was is kept as escapes, one for each byte. The escape of byte b is the three bytes that UTF-8 would have for the surrogate U+DC00 + b, which no
// UTF-8 text has.
//
// Encode is called once for a statement that arrives; whoever wants the bytes of a literal asks Decode, and who shows a part of the
// text to somebody Shown.
package clienttext
