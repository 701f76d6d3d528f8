//go:build !race

package memory

// overwrites means that released buffers are overwritten.
const overwrites = false
