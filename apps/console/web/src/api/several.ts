/** Calls `act` for each item, at most `most` at a time. Returns the results in the order of the items. */
export async function several<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
  most = 4,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries(); // shared by all, so that each item is taken once
  const work = async () => {
    for (const [at, item] of rest) results[at] = await act(item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
  return results;
}
