package session

import (
	"context"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/person"
	"github.com/tollgate/tollgate/libs/store/signin"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
	"github.com/tollgate/tollgate/libs/web"
)

// Keys authenticates programs by access keys. It is safe for concurrent use.
type Keys struct {
	Store    *store.Store
	Peppers  token.Peppers
	Throttle *throttle.Throttle
	Now      func() time.Time
}

// Find returns the access key with the value, and its user and tenant as they are now. It
// returns an Unauthenticated problem if the key is unknown, expired or revoked. Such keys count
// against the client's address; after too many of them Find returns a RateLimited problem for them. It still looks each
// key up, because a wrong one must not refuse those of others at the same address: the caller bounds the look-ups of an
// address at the same time. A key that may not be used from the client's address is returned with a Forbidden problem.
func (k *Keys) Find(ctx context.Context, value string, client signin.Client) (_ tokendb.KeyUser, err error) {
	defer wrap(&err, "find the access key")
	err = problem.Of(problem.NotFound)
	var keyUser tokendb.KeyUser
	if token.IsAccessKey(value) {
		keyUser, err = k.find(ctx, value)
	}
	if problem.Is(err, problem.NotFound) {
		record := web.RecordOf(ctx)
		record.SignIn, record.Account = true, "access key"
		if err := k.Throttle.Take(throttle.KeysByAddress, address.Network(client.Address), k.Now()); err != nil {
			return tokendb.KeyUser{}, err
		}
		return tokendb.KeyUser{}, problem.New(problem.Unauthenticated,
			"The access key is unknown, expired or revoked. Create a new one in the console.")
	}
	if err != nil {
		return tokendb.KeyUser{}, err
	}
	if !keyUser.Key.AllowsAddress(client.Address) {
		return keyUser, problem.New(problem.Forbidden, "The access key may not be used from this address.")
	}
	k.see(ctx, &keyUser.Key)
	return keyUser, nil
}

// find looks up the hash of the value under the current pepper. While peppers are being
// rotated, it then tries the other pepper, and replaces the hash that it finds. A failure
// to replace it is ignored: the key works nevertheless, and the next use tries again.
func (k *Keys) find(ctx context.Context, value string) (tokendb.KeyUser, error) {
	system, hash := tenant.SystemScope("console"), token.HashOf(k.Peppers.Current.Key, value)
	keyUser, err := k.Store.Token.KeyUser(ctx, system, hash)
	if !problem.Is(err, problem.NotFound) || !k.Peppers.Rotating() {
		return keyUser, err
	}
	oldHash := token.HashOf(k.Peppers.Other.Key, value)
	if keyUser, err = k.Store.Token.KeyUser(ctx, system, oldHash); err == nil {
		_ = k.Store.Token.RehashAccessKey(ctx, system,
			tokendb.Rehash{ID: keyUser.Key.ID, From: oldHash, To: hash, PepperID: k.Peppers.Current.ID})
	}
	return keyUser, err
}

// see records that the key is in use, at most once a minute. It
// is best effort: if recording fails, the key works nevertheless.
func (k *Keys) see(ctx context.Context, key *token.AccessKey) {
	if k.Now().Sub(key.LastUsed) < person.SeenEvery {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, seePatience)
	defer cancel()
	_ = k.Store.Token.SeeAccessKey(ctx, tenant.SystemScope("console"), key.ID)
}
