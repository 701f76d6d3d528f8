package upstream

import (
	"strings"
	"time"
	"unicode"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/provider"
)

// failureCode is the stable code of a failure for usage logs, traces and metrics.
type failureCode string

const (
	// The connection failed, broke or fell silent.
	codeConnect     failureCode = "connect"
	codeTimeout     failureCode = "timeout"
	codeCut         failureCode = "cut"
	codeEmptyStream failureCode = "empty_stream"
	codeBroken      failureCode = "broken"
	codeSilent      failureCode = "silent"

	// The upstream refused the request or reported a failure.
	codeStatus      failureCode = "status"
	codeCredential  failureCode = "credential"
	codeUnpaid      failureCode = "unpaid"
	codeRateLimited failureCode = "rate_limited"
	codeRejected    failureCode = "rejected"
	codeErrorBody   failureCode = "error_body"
	codeErrorFrame  failureCode = "error_frame"
	codeNonsense    failureCode = "nonsense" // the answer has another form than the dialect

	// The relay ended the attempt, or could not make it.
	codeLate                failureCode = "late"
	codeClientClosed        failureCode = "client_closed"
	codeRelayStopped        failureCode = "relay_stopped"
	codeNoMemory            failureCode = "no_memory"
	codeUnsupported         failureCode = "unsupported"
	codeTranslationRejected failureCode = "translation_rejected"
	codeEgressRefused       failureCode = "egress_refused"
)

// attemptError describes why an attempt failed.
type attemptError struct {
	status int // HTTP status of the upstream, 0 without a response
	code   failureCode
	kind   problem.Kind
	fault  provider.Fault // cause of the failure; NoFault counts neither against the channel nor against the credential
	// cooldown is the wait that the upstream asks for, 0 for unknown.
	cooldown      time.Duration
	disableReason catalog.DisabledReason // why the upstream seems to refuse the credential for good; "" if it doesn't
	refusal       *problem.UpstreamError // an error that the client gets unchanged
	channelOnly   bool                   // see isChannelOnly: another channel may serve the request
	notOwner      bool                   // see failover.isNotOwner: the owner's credential may serve the request
	body          []byte                 // of the error response from which the refusal was read
	upstreamText  string                 // message of the error response, "" for none; it may contain private data
	final         bool                   // no other attempt may follow
	answer        *Reply                 // the upstream's failed answer, nil if it failed in another way
	usage         *usage.Usage           // what the upstream reports although it failed, nil if it reports nothing
	cause         error
}

// Error describes the failure for logs. It may contain private data of the upstream.
func (e *attemptError) Error() string {
	if e.cause != nil {
		return string(e.code) + ": " + e.cause.Error()
	}
	return string(e.code)
}

// maxMessage is the length in bytes of the longest message of an attempt.
const maxMessage = 300

// message returns the text of the failure for operators: the upstream's message, or the cause, without secrets.
func (e *attemptError) message(redact redactor) string {
	text := e.upstreamText
	if text == "" && e.cause != nil {
		text = e.cause.Error()
	}
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' ' // a usage log cannot be stored with a NUL
		}
		return r
	}, redact.clean(text))
	return strings.ToValidUTF8(text[:min(len(text), maxMessage)], "")
}

// transport reports whether the connection failed, broke or fell silent, so that the upstream may be unreachable.
func (e *attemptError) transport() bool {
	switch e.code {
	case codeConnect, codeTimeout, codeCut, codeEmptyStream, codeBroken, codeSilent:
		return true
	}
	return false
}

// problem returns the error for the client, if no other attempt succeeds.
func (e *attemptError) problem() *problem.Problem {
	switch e.kind { //nolint:exhaustive // the kinds whose cause is meant for the client
	case problem.UnsupportedParameter, problem.InvalidType, problem.InvalidJSON, problem.Overloaded, problem.TooLarge:
		return problem.From(e.cause)
	}
	p := problem.Wrap(e.kind, e)
	if e.kind == problem.UpstreamBusy {
		p.RetryAfter = max(e.cooldown, time.Second)
	}
	return p
}
