/** Returns the element of the document that shows the console. */
export function rootElement(): HTMLElement {
  const root = document.getElementById("root");
  if (!root) throw new Error("the document has no #root");
  return root;
}
