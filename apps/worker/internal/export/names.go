package export

import (
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// maxNames bounds the names that one directory remembers: it forgets all of them before it grows further.
const maxNames = 50_000

// names remembers the names of users, tokens and channels that the user of the export may see, by the column
// of the usage log that refers to them.
type names map[string]*directory

// newNames returns empty directories.
func newNames(source Names, scope tenant.Scope) names {
	return names{
		"user_id": newDirectory(source.Users, scope), "token_id": newDirectory(source.Tokens, scope),
		"channel_id": newDirectory(source.Channels, scope),
	}
}

// learn looks up the names that the logs refer to and that are not known yet.
func (n names) learn(ctx context.Context, logs []usage.Log) error {
	for _, column := range usage.Columns {
		if d := n[column.Name]; d != nil {
			if err := d.learn(ctx, logs, column.Field); err != nil {
				return err
			}
		}
	}
	return nil
}

// directory remembers names by id: "" for an id whose name the scope may not see.
type directory struct {
	lookUp Lookup
	scope  tenant.Scope
	names  map[uuid.UUID]string
}

func newDirectory(lookUp Lookup, scope tenant.Scope) *directory {
	return &directory{lookUp: lookUp, scope: scope, names: map[uuid.UUID]string{}}
}

// learn looks up the names of ids that are not known yet. The function field returns the id of a log, as a
// *uuid.UUID.
func (d *directory) learn(ctx context.Context, logs []usage.Log, field func(*usage.Log) any) error {
	if len(d.names) > maxNames {
		clear(d.names)
	}
	var unknown []uuid.UUID
	for i := range logs {
		id := *field(&logs[i]).(*uuid.UUID) //nolint:errcheck // columns with names are ids
		if _, ok := d.names[id]; !ok {
			d.names[id] = ""
			if id != uuid.Nil {
				unknown = append(unknown, id)
			}
		}
	}
	names, err := d.lookUp(ctx, d.scope, unknown)
	for id, name := range names {
		d.names[id] = name
	}
	return err
}
