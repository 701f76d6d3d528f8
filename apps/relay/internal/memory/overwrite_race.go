//go:build race

package memory

// overwrites means that released buffers are overwritten, so that tests with the race detector notice code that
// still refers to one.
const overwrites = true
