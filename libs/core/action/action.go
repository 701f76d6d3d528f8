// Package action names the actions that the audit log records. An action is the kind of a resource, a point and a verb.
// The database accepts entries of these actions only, so each program that shows the log can have a text for every one.
//
// An action that is no longer written stays in the list, because old entries have it.
package action

import (
	"slices"
	"strings"
)

// Action is the name of an action, such as "token.create".
type Action string

// all lists all actions, sorted. It is constant.
var all = [...]Action{
	"access_key.create", "access_key.revoke", "access_key.use",
	"alert.retry",
	"alert_destination.create", "alert_destination.delete", "alert_destination.test", "alert_destination.update",
	"alert_rule.create", "alert_rule.delete", "alert_rule.update",
	"audit_log.lost", "audit_log.prune",
	"billing_account.create", "billing_account.delete", "billing_account.fetch", "billing_account.update",
	"billing_account.upload",
	"channel.create", "channel.credential.disable", "channel.credential.enable", "channel.test", "channel.update",
	"channel_cost.create", "channel_cost.withdraw",
	"group.create", "group.update",
	"identity.link", "identity.unlink",
	"invitation.accept", "invitation.create", "invitation.resend", "invitation.revoke",
	"issuer.approve", "issuer.delete", "issuer.set",
	"job.cancel", "job.create", "job.reveal",
	"model.create", "model.update",
	"passkey.create", "passkey.delete", "passkey.update",
	"password_reset.create",
	"price.create", "price.withdraw",
	"price_catalog.remove", "price_catalog.replace",
	"quota.adjustment", "quota.grant", "quota.transfer",
	"recovery_code.use", "recovery_codes.replace",
	"request.refused",
	"rule.create", "rule.withdraw",
	"session.confirm", "session.create", "session.delete", "session.refused",
	"tenant.create", "tenant.erase", "tenant.read", "tenant.update",
	"token.create", "token.update",
	"totp.begin", "totp.confirm", "totp.delete",
	"user.create", "user.erase", "user.prove_email", "user.release_email", "user.reset_factors",
	"user.take_over", "user.update",
}

// All returns all actions, sorted.
func All() []Action { return slices.Clone(all[:]) }

// OfKind returns the actions on the kind of a resource, such as "token", sorted.
func OfKind(kind string) []Action {
	return slices.DeleteFunc(All(), func(a Action) bool { return !strings.HasPrefix(string(a), kind+".") })
}

// Known reports whether the audit log records actions of the name.
func Known(name string) bool {
	_, ok := slices.BinarySearch(all[:], Action(name))
	return ok
}
