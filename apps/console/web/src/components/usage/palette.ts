const hues = ["#6366e8", "#12a594", "#ee8f36", "#e0568c", "#3b9eda", "#8fae2f", "#a66fd6", "#d3a72a"];

/**
 * Returns the color of a series by its position. The series of all others, with the key "other", is gray. Each color
 * has enough contrast on light and on dark backgrounds.
 */
export const colorOf = (index: number, key: string) =>
  key === "other" ? "#9496a3" : (hues[index % hues.length] ?? "#9496a3");
