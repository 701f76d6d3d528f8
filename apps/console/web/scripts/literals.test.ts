import { expect, it } from "vitest";

import { literals } from "./literals";

const imports = `import { msg, plural, t } from "@lingui/core/macro";\nimport { Trans } from "@lingui/react/macro";\n`;
const found = (code: string) => literals("x.tsx", imports + code).map(({ text }) => text);

it.each([
  ["a text between tags", `const X = () => <p>Create token</p>`, "Create token"],
  ["a text in a branch between tags", `const X = () => <p>{on ? "yes" : <b />}</p>`, "yes"],
  ["a template between tags", "const X = () => <p>{`${n} left`}</p>", "{} left"],
  ["a visible prop", `const X = () => <Input label="name" />`, "name"],
  ["a visible prop with a branch", `const X = () => <Input aria-label={on ? "close it" : undefined} />`, "close it"],
  ["a visible field", `const columns = [{ header: "status" }]`, "status"],
  ["a label in a table", `const names = { enabled: "Enabled" }`, "Enabled"],
  ["a sentence that a function returns", `const f = () => "Enter a name."`, "Enter a name."],
  [
    "the text of an error that users see",
    `const f = () => new Error("This device has a passkey.")`,
    "This device has a passkey.",
  ],
  ["a macro that is not imported", "const f = () => other.t`Hello there`", "Hello there"],
])("%s is reported", (_, code, text) => expect(found(code)).toEqual([text]));

it.each([
  ["a message between tags", `const X = () => <p><Trans>Create <b>token</b></Trans></p>`],
  ["a message in a prop", "const X = () => <Input label={t`Name`} />"],
  ["a plural", `const f = (n: number) => plural(n, { one: "# token", other: "# tokens" })`],
  ["a table of messages", "const names = { enabled: msg`Enabled` }"],
  ["an invisible prop", `const X = () => <Input autoComplete="username webauthn" className="Big thing" />`],
  ["a value that is compared", `const f = (s: string) => s === "Enabled"`],
  ["a type", `type Word = "Enabled" | "Disabled"`],
  ["an import", `import X from "Some Module"`],
  ["the key of a field", `const f = { "Content-Type": 1 }`],
  ["an abbreviation", `const X = () => <p>CSV · $ → JSON</p>`],
  ["the name of the product", `const X = () => <p>Tollgate</p>`],
  ["an error for engineers", `const f = () => new Error("no session: the page is not below the route")`],
  ["a text with a reason", `const f = () => "Python"; // not translated: a name`],
  ["a text with a reason before it", `// Not translated: a name.\nconst f = () => "Python";`],
  ["texts with a reason behind their brackets", `const f = () => ["Python",\n"Go",\n]; // not translated: names`],
])("%s is not reported", (_, code) => expect(found(code)).toEqual([]));

it("a message that is read when the module loads is reported", () => {
  expect(found("const names = { enabled: t`Enabled` }")).toEqual(["t`Enabled`"]);
  expect(found("const names = () => ({ enabled: t`Enabled` })")).toEqual([]);
});
