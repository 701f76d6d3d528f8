package alert

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/language"
)

// The headers of a webhook, as the specification "Standard Webhooks" names them. The id is that of the alert.
const (
	HeaderID        = "webhook-id"
	HeaderTimestamp = "webhook-timestamp" // Unix time of the attempt in seconds
	HeaderSignature = "webhook-signature" // see Sign
)

// SecretPrefix begins the text of a signing secret. Its random bytes follow in base64.
const SecretPrefix = "whsec_"

const secretBytes = 32

// SecretOf returns the signing secret of 32 random bytes.
func SecretOf(random [secretBytes]byte) string {
	return SecretPrefix + base64.StdEncoding.EncodeToString(random[:])
}

// Sign returns the signature of a body: "v1," and the HMAC-SHA256, in base64, of the id, the timestamp and the body
// with dots between them. The key is what follows SecretPrefix, decoded. It returns "" for a malformed secret.
func Sign(secret string, id uuid.UUID, timestamp int64, body []byte) string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, SecretPrefix))
	if err != nil || len(key) == 0 {
		return ""
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id.String() + "." + strconv.FormatInt(timestamp, 10) + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// tolerance is the greatest difference between the timestamp of a webhook and the clock of its receiver.
const tolerance = 5 * time.Minute

// ErrForged means that a webhook was not signed with the secret, or too long ago.
var ErrForged = errors.New("the signature of the webhook does not match")

// SignatureHeaders holds the headers of a webhook that a receiver got.
type SignatureHeaders struct{ ID, Timestamp, Signature string }

// Verify returns ErrForged unless the body was signed with the secret within five minutes of now. It is the receiver's
// side, for tests and Go programs.
func Verify(secret string, got SignatureHeaders, body []byte, now time.Time) error {
	id, err := uuid.Parse(got.ID)
	seconds, secondsErr := strconv.ParseInt(got.Timestamp, 10, 64)
	if err != nil || secondsErr != nil || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return ErrForged
	}
	want := Sign(secret, id, seconds, body)
	for signature := range strings.FieldsSeq(got.Signature) {
		if want != "" && subtle.ConstantTimeCompare([]byte(signature), []byte(want)) == 1 {
			return nil
		}
	}
	return ErrForged
}

// body is the JSON of a webhook.
type body struct {
	ID        uuid.UUID  `json:"id"`
	Type      string     `json:"type"`
	TenantID  *uuid.UUID `json:"tenant_id"`
	RuleID    *uuid.UUID `json:"rule_id"`
	CreatedAt time.Time  `json:"created_at"`
	Title     string     `json:"title"`
	Text      string     `json:"text"`
	Link      string     `json:"link,omitempty"`
	Fact
}

// orNil returns nil for uuid.Nil.
func orNil(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// WebhookBody returns the JSON that a webhook gets. link is the URL of the console, "" if it is not known.
func (a *Alert) WebhookBody(tag language.Tag, link string) ([]byte, error) {
	title, text := a.Fact.Words(tag)
	return json.Marshal(body{
		ID: a.ID, Type: "alert." + string(a.Fact.Kind), TenantID: orNil(a.TenantID), RuleID: orNil(a.RuleID),
		CreatedAt: a.CreatedAt.UTC(),
		Title:     title, Text: text, Link: link, Fact: a.Fact,
	})
}

// SlackBody returns the JSON that Slack and compatible programs show. Names that people chose cannot add mentions or
// links.
func (a *Alert) SlackBody(tag language.Tag, link string) ([]byte, error) {
	title, text := a.Fact.Words(tag)
	markdown := "*" + escapeSlack(title) + "*\n" + escapeSlack(text)
	if link != "" {
		markdown += "\n<" + link + ">"
	}
	return json.Marshal(map[string]string{"text": markdown})
}

// escapeSlack escapes the characters with which Slack's markup begins references, see
// https://api.slack.com/reference/surfaces/formatting.
func escapeSlack(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
