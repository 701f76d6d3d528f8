// Package echo is an upstream that answers in process, without any network.
package echo
