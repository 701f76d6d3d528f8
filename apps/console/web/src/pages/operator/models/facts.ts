import { plural, t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { type Modality, modalityName } from "@/components/modalities";
import { listed } from "@/pages/operator/catalog/labels";
import type { Model } from "@/pages/operator/catalog/queries";

/** The fields of what a model can read and write. "" means that the number is not known. */
export interface FactValues {
  max_output: number | string;
  context_length: number | string;
  input: Modality[];
  output: Modality[];
}

/** Fields of a model about which nothing is known. */
export const noFacts: FactValues = { max_output: "", context_length: "", input: [], output: [] };

/** Returns the field values of a model. */
export const factValues = (model: Pick<Model, "max_output" | "context_length" | "modalities">): FactValues => ({
  max_output: model.max_output,
  context_length: model.context_length || "",
  input: model.modalities.input,
  output: model.modalities.output,
});

/** Returns the body of a request with the context length and the modalities in the fields. */
export const factsOf = ({ context_length, input, output }: FactValues) => ({
  context_length: Number(context_length),
  modalities: { input, output },
});

/** The form fields of API fields with other names. */
export const factNames = { "modalities.input": "input", "modalities.output": "output" };

/** Describes the modalities, such as "Text, Image → Text"; undefined if none is known. */
export function showModalities({ input, output }: Schema<"Modalities">): string | undefined {
  if (input.length + output.length === 0) return undefined;
  return `${list(input)} → ${list(output)}`;
}

const list = (named: readonly Modality[]) => (named.length > 0 ? listed(named.map(modalityName)) : t`Unknown`);

/** Describes a context length; undefined if it is not known. */
export const showContext = (tokens: number | undefined) =>
  tokens ? plural(tokens, { one: "# token", other: "# tokens" }) : undefined;
