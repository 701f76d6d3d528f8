package shipped

const (
	acmeToken        = "acme-token-0123456789abcdef"
	acmeOwner        = "owner@acme.example"
	everyonePassword = "correct horse battery"
)

// manifest has one model. It costs 0.15 USD per million input tokens, 0.075 cached and 0.60 output.
const manifest = `
groups:
  - {name: default, multiplier: "1.0", models: ["*"]}
models:
  - {id: plain, owned_by: acme, price: {input: "0.15", cached_input: "0.075", output: "0.60"}}
channels:
  - {name: plain-0, type: openai, base_url: "${UPSTREAM_URL}", api_keys: [upstream-key], endpoints: [chat, responses], models: {plain: plain}}
tenants:
  - slug: acme
    name: acme
    quota: "1000"
    users:
      - {email: ` + acmeOwner + `, password: ` + everyonePassword +
	`, role: owner, group: default, tokens: [{name: main, value: ` + acmeToken + `}]}
`
