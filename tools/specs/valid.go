package main

import (
	"context"
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"
)

// validate returns the first error of a document, which must be OpenAPI 3.0.3 without keywords of 3.1.
func validate(text []byte) error {
	document, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return err
	}
	if document.OpenAPI != "3.0.3" {
		return fmt.Errorf("the version is %q, want 3.0.3", document.OpenAPI)
	}
	return document.Validate(context.Background(), openapi3.EnableExamplesValidation())
}
