module github.com/tollgate/tollgate/e2e

go 1.26.0

require (
	github.com/jackc/pgx/v5 v5.12.0
	github.com/sashabaranov/go-openai v1.43.0
)

require (
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	golang.org/x/text v0.43.0 // indirect
)

require (
	github.com/apapsch/go-jsonmerge/v2 v2.0.0 // indirect
	github.com/coder/websocket v1.8.15 // indirect
	github.com/google/uuid v1.6.0
	github.com/oapi-codegen/runtime v1.8.0
	github.com/openai/openai-go/v3 v3.95.0
	github.com/tidwall/gjson v1.20.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.1 // indirect
	github.com/tidwall/sjson v1.2.5 // indirect
	github.com/tollgate/tollgate/tools v0.0.0
)

replace github.com/tollgate/tollgate/libs => ../libs

replace github.com/tollgate/tollgate/apps => ../apps

replace github.com/tollgate/tollgate/tools => ../tools
