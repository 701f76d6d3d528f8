package sqldump

// ReadWithin is readWithin for tests.
var ReadWithin = readWithin
