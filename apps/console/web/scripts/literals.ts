import ts from "typescript";

/** A text in the code that users see but that is not a message, or a message that is read too early. */
export interface Literal {
  line: number;
  text: string;
  reason: string;
}

/** Props and fields whose texts users see. */
const visible =
  /^(aria-(description|label|roledescription|valuetext)|alt|caption|children|confirm|description|empty|error|group|header|heading|help|hint|label|legend|message|name|none|note|nothingFoundMessage|placeholder|subtitle|summary|text|title|tooltip|unit|word)$|(Label|Title|Text|Message|Description|Placeholder)$/;

/** Functions and components of the macros. What is in them is a message. */
const macros = new Set([
  "t",
  "msg",
  "defineMessage",
  "plural",
  "select",
  "selectOrdinal",
  "Trans",
  "Plural",
  "Select",
  "SelectOrdinal",
]);

/** Macros that read the language when they run, so that they must run in a function. */
const early = new Set(["t", "plural", "select", "selectOrdinal"]);

/**
 * A comment that exempts texts and says why: those of its line, of the next line if it has a line of its own, or of the
 * brackets that its line closes.
 */
const exemption = /\/[/*] [Nn]ot translated: \S/;

/** Text with a word of two letters or more that is not an abbreviation. */
const wordy = (text: string) =>
  /\p{L}*\p{Ll}\p{L}*/u.test(text.replace(/Tollgate|[{][^}]*[}]|https?:\S+/g, "")) && /\p{L}{2}/u.test(text);

/** Text that reads like a sentence or a label, although nothing around it says that users see it. */
const prose = (text: string) =>
  /^\p{Lu}\p{Ll}+[.!?…]?$/u.test(text) ||
  (/\p{L}{2,}[,.:;]? \p{L}/u.test(text) && !/var\(|\dpx|^[a-z-]+\/|[{};=]/.test(text));

/** Returns the texts of a source file that are not messages although users see them. */
export function literals(file: string, source: string): Literal[] {
  const tree = ts.createSourceFile(
    file,
    source,
    ts.ScriptTarget.Latest,
    true,
    file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  const imported = macroNames(tree);
  const lines = source.split("\n");
  const found: Literal[] = [];
  const report = (node: ts.Node, text: string, reason: string) => {
    const lineAt = (position: number) => tree.getLineAndCharacterOfPosition(position).line;
    const line = lineAt(node.getStart(tree));
    const exempts = (at: number, form: RegExp) => form.test(lines[at] ?? "") && exemption.test(lines[at] ?? "");
    let exempt = exempts(line, /./) || exempts(line - 1, /^\s*(\{?\/[/*])/);
    for (let parent = node.parent; !exempt && !ts.isSourceFile(parent); parent = parent.parent)
      exempt = exempts(lineAt(parent.getEnd()), /^\s*[\])}]/);
    if (!exempt) found.push({ line: line + 1, text: text.trim().replace(/\s+/g, " "), reason });
  };
  const visit = (node: ts.Node, shown: boolean, inFunction: boolean): void => {
    const macro = macroOf(node);
    if (macro && imported.has(macro)) {
      if (early.has(macro) && !inFunction)
        report(node, node.getText(tree), "is read when the module loads: use msg, or a function");
      return;
    }
    if (skipped(node)) return;
    if (ts.isJsxText(node)) {
      if (wordy(node.text)) report(node, node.text, "is not in a message");
      return;
    }
    const text = textOf(node);
    if (text !== undefined && (shown ? wordy(text) : prose(text)) && !internal(node, text))
      report(node, text, "is not in a message");
    ts.forEachChild(node, (child) => visit(child, shows(node, child, shown), inFunction || ts.isFunctionLike(node)));
  };
  ts.forEachChild(tree, (statement) => visit(statement, false, false));
  return found;
}

function macroNames(tree: ts.SourceFile): Set<string> {
  const names = new Set<string>();
  for (const statement of tree.statements) {
    if (
      !ts.isImportDeclaration(statement) ||
      !ts.isStringLiteral(statement.moduleSpecifier) ||
      !/^@lingui\/(core|react)\/macro$/.test(statement.moduleSpecifier.text)
    )
      continue;
    const bindings = statement.importClause?.namedBindings;
    if (bindings && ts.isNamedImports(bindings))
      for (const { name } of bindings.elements) if (macros.has(name.text)) names.add(name.text);
  }
  return names;
}

function macroOf(node: ts.Node): string | undefined {
  if (ts.isTaggedTemplateExpression(node)) return node.tag.getText();
  if (ts.isCallExpression(node)) return node.expression.getText();
  if (ts.isJsxElement(node)) return node.openingElement.tagName.getText();
  if (ts.isJsxSelfClosingElement(node)) return node.tagName.getText();
  return undefined;
}

/** Reports whether users see no text below the node: imports, types, names of fields, and values that are compared. */
function skipped(node: ts.Node): boolean {
  if (
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isTypeNode(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isInterfaceDeclaration(node)
  )
    return true;
  if (ts.isPropertyName(node) && node.parent && "name" in node.parent && node.parent.name === node) return true;
  if (ts.isCaseClause(node.parent) && node.parent.expression === node) return true;
  if (ts.isElementAccessExpression(node.parent) && node.parent.argumentExpression === node) return true;
  if (
    ts.isCallExpression(node) &&
    /(^|\.)(querySelector|getElementById|getItem|setItem|import|lazyRouteComponent|includes|has|startsWith|endsWith)$/.test(
      node.expression.getText(),
    )
  )
    return true;
  if (
    ts.isJsxAttribute(node) &&
    node.initializer &&
    ts.isStringLiteral(node.initializer) &&
    !visible.test(node.name.getText())
  )
    return true;
  if (ts.isPropertyAssignment(node) && /^fontFamily|^valueFormat/.test(node.name.getText())) return true;
  return (
    textOf(node) !== undefined &&
    ts.isBinaryExpression(node.parent) &&
    /^[!=]==?$/.test(node.parent.operatorToken.getText())
  );
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join("{}");
  return undefined;
}

/** Errors for engineers begin with a small letter; users never see them. */
const internal = (node: ts.Node, text: string) =>
  ts.isNewExpression(node.parent) && /Error$/.test(node.parent.expression.getText()) && /^\p{Ll}/u.test(text);

/** Reports whether users see the texts of a child: it is in a visible prop or field, or between tags. */
function shows(node: ts.Node, child: ts.Node, shown: boolean): boolean {
  if (ts.isJsxAttribute(node)) return child === node.initializer && visible.test(node.name.getText());
  if (ts.isPropertyAssignment(node))
    return child === node.initializer && visible.test(node.name.getText().replace(/["']/g, ""));
  if (ts.isJsxExpression(node)) return shown || ts.isJsxElement(node.parent) || ts.isJsxFragment(node.parent);
  if (ts.isConditionalExpression(node)) return shown && child !== node.condition;
  if (ts.isBinaryExpression(node))
    return shown && (child === node.right || /^(\?\?|\|\||\+)$/.test(node.operatorToken.getText()));
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isTemplateExpression(node)) return shown;
  return false;
}
