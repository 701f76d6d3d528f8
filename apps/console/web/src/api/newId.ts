/**
 * Returns a random UUID (version 4). crypto.randomUUID exists only on pages over HTTPS and on localhost, this function
 * also works over plain HTTP, as in the network of an office.
 */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const variant = "89ab"[(bytes[8] ?? 0) >> 6]; // RFC 9562: the digit begins with the bits 10
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
