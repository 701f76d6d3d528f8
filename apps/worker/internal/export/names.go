package export

import (
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// maxNames bounds what is remembered of each sort: beyond it all is forgotten
// and looked up anew.
const maxNames = 50_000

// names remembers the names of what logs refer to, as far as the user reaches
// them.
type names struct {
	users, tokens, channels directory
}

func newNames(source Names, scope tenant.Scope) *names {
	return &names{
		users: newDirectory(source.Users, scope), tokens: newDirectory(source.Tokens, scope), channels: newDirectory(source.Channels, scope),
	}
}

// learn looks up what the logs refer to.
func (n *names) learn(ctx context.Context, logs []usage.Log) error {
	for _, sort := range []struct {
		*directory
		id func(*usage.Log) uuid.UUID
	}{
		{&n.users, func(l *usage.Log) uuid.UUID { return l.UserID }},
		{&n.tokens, func(l *usage.Log) uuid.UUID { return l.TokenID }},
		{&n.channels, func(l *usage.Log) uuid.UUID { return l.ChannelID }},
	} {
		if err := sort.learn(ctx, logs, sort.id); err != nil {
			return err
		}
	}
	return nil
}

// directory remembers names by id, "" for what has none in reach.
type directory struct {
	lookUp Lookup
	scope  tenant.Scope
	known  map[uuid.UUID]string
}

func newDirectory(lookUp Lookup, scope tenant.Scope) directory {
	return directory{lookUp: lookUp, scope: scope, known: map[uuid.UUID]string{}}
}

func (d *directory) learn(ctx context.Context, logs []usage.Log, of func(*usage.Log) uuid.UUID) error {
	if len(d.known) > maxNames {
		clear(d.known)
	}
	var unknown []uuid.UUID
	for i := range logs {
		id := of(&logs[i])
		if _, known := d.known[id]; !known {
			d.known[id] = ""
			if id != uuid.Nil {
				unknown = append(unknown, id)
			}
		}
	}
	found, err := d.lookUp(ctx, d.scope, unknown)
	for id, name := range found {
		d.known[id] = name
	}
	return err
}
