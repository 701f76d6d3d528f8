/** The content of an image, a recording or a file in code: the code reads the file instead. */
export class FileContent {
  /** The path of the file. */
  readonly name: string;
  /** Its media type. */
  readonly type: string;

  constructor(name: string, type: string) {
    this.name = name;
    this.type = type;
  }

  /** Whether the content is base64 alone, as of audio, and not a data URL. */
  get bare(): boolean {
    return this.type.startsWith("audio/");
  }
}

/** How a language writes values. */
export interface Style {
  null: string;
  true: string;
  false: string;
  /** The spaces of one level of indentation. */
  indent: string;
  /** Whether a comma follows the last item. */
  comma: boolean;
  string: (text: string) => string;
  file: (file: FileContent) => string;
}

/**
 * Returns a JSON value, in which a FileContent can stand for a text, as a literal of a language. `by` is the
 * indentation of its last line.
 */
export function literal(value: unknown, style: Style, by = ""): string {
  if (value === null || value === undefined) return style.null;
  if (typeof value === "boolean") return style[`${value}`];
  if (typeof value === "string") return style.string(value);
  if (value instanceof FileContent) return style.file(value);
  const inner = by + style.indent;
  if (Array.isArray(value))
    return block(
      ["[", "]"],
      value.map((item) => literal(item, style, inner)),
      style,
      by,
    );
  if (typeof value === "object")
    return block(
      ["{", "}"],
      Object.entries(value).map(([key, item]) => `${style.string(key)}: ${literal(item, style, inner)}`),
      style,
      by,
    );
  return JSON.stringify(value);
}

function block([open, close]: [string, string], items: string[], { indent, comma }: Style, by: string): string {
  if (items.length === 0) return open + close;
  return `${open}\n${items.map((item) => `${by}${indent}${item}`).join(",\n")}${comma ? "," : ""}\n${by}${close}`;
}

/** Returns the names and types of all files in a value. */
export function filesIn(value: unknown): FileContent[] {
  if (value instanceof FileContent) return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(filesIn) : [];
}

/** JSON, which is also JavaScript. */
export const json: Style = {
  null: "null",
  true: "true",
  false: "false",
  indent: "  ",
  comma: false,
  string: (text) => JSON.stringify(text),
  file: ({ name }) => JSON.stringify(name),
};
