package store

import (
	"maps"
	"slices"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// assign sets a field that a patch names, and notes it where that changes it.
func assign[T comparable](changed fields, name string, field, value *T) {
	if value != nil && *value != *field {
		*field = *value
		changed[name] = *value
	}
}

func assignList[T comparable](changed fields, name string, field, value *[]T) {
	if value != nil && !slices.Equal(*value, *field) {
		*field = slices.Clone(*value)
		changed[name] = *field
	}
}

func assignMap(changed fields, name string, field, value *map[string]string) {
	if value != nil && !maps.Equal(*value, *field) {
		*field = maps.Clone(*value)
		changed[name] = *field
	}
}

func checkStatus(status tenant.Status) error {
	if !status.Valid() {
		return problem.New(problem.InvalidType, "a status is enabled or disabled").At("status")
	}
	return nil
}

// orEnabled is the status of a new thing.
func orEnabled(status tenant.Status) tenant.Status {
	if status == "" {
		return tenant.Enabled
	}
	return status
}

// orEmpty makes a nil list an empty one, which is stored as [] and not as null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// first returns the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
