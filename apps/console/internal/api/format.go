package api

import (
	"fmt"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/seal"
)

// The patterns of amounts and factors in requests. They allow nine digits before
// the point, so that every amount that a client can send is far below money.Max.
const (
	amountPattern = `^-?[0-9]{1,9}(\.[0-9]{1,9})?$`
	factorPattern = `^[0-9]{1,9}(\.[0-9]{1,9})?$`
)

// amountFormat, factorFormat, scopeFormat and idFormat give Huma the schemas of types that
// cannot have a Schema method of their own: package core must not depend on Huma.
type (
	amountFormat struct{}
	factorFormat struct{}
	scopeFormat  struct{}
	idFormat     struct{}
)

// Schema returns the schema of money.Amount.
func (amountFormat) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: amountPattern, Description: "Amount in USD as a decimal string",
		Examples: []any{"12.50"}}
}

// Schema returns the schema of money.Factor.
func (factorFormat) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: factorPattern, Description: "Factor as a decimal string",
		Examples: []any{"0.85"}}
}

// Schema returns the schema of token.AccessScope.
func (scopeFormat) Schema(huma.Registry) *huma.Schema {
	schema := &huma.Schema{Type: huma.TypeString}
	for _, scope := range token.AccessScopes() {
		schema.Enum = append(schema.Enum, string(scope))
	}
	return schema
}

// Schema returns the schema of uuid.UUID.
func (idFormat) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid"}
}

// NewPassword is a password that the request sets. Its schema has no minimum length,
// because the code that hashes the password checks it and returns a better message.
type NewPassword string

// Schema returns the schema of a new password.
func (NewPassword) Schema(huma.Registry) *huma.Schema {
	limit := 1024
	return &huma.Schema{Type: huma.TypeString, MaxLength: &limit,
		Description: fmt.Sprintf("The new password, with at least %d characters", seal.MinPassword)}
}

// registerFormats makes Huma use the schemas above for the types of package core and for UUIDs.
func registerFormats(registry huma.Registry) {
	registry.RegisterTypeAlias(reflect.TypeFor[money.Amount](), reflect.TypeFor[amountFormat]())
	registry.RegisterTypeAlias(reflect.TypeFor[money.Factor](), reflect.TypeFor[factorFormat]())
	registry.RegisterTypeAlias(reflect.TypeFor[token.AccessScope](), reflect.TypeFor[scopeFormat]())
	registry.RegisterTypeAlias(reflect.TypeFor[uuid.UUID](), reflect.TypeFor[idFormat]())
}
