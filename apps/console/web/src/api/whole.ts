/** One page of a list. `next` is the cursor of the page after it, or "". */
interface Part<Row> {
  items: Row[];
  next: string;
}

/** Reads a list that one answer has as a whole, unless it is larger than about 1 MiB: then page by page. */
export async function readWhole<Row>(
  fetchPart: (query: { after?: string }) => Promise<Part<Row>>,
): Promise<{ items: Row[] }> {
  const items: Row[] = [];
  let after = "";
  do {
    const part = await fetchPart(after ? { after } : {});
    items.push(...part.items);
    after = part.next;
  } while (after);
  return { items };
}
