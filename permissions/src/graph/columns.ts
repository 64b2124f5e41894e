/** Returns a copy with room for at least `capacity` numbers, growing by half so that the amortised cost stays low. */
export function ensureCapacity<T extends Int32Array | Uint8Array>(column: T, capacity: number): T {
  if (capacity <= column.length) return column
  const size = Math.max(capacity, Math.ceil(column.length * 1.5), 16)
  const larger = (column instanceof Int32Array ? new Int32Array(size) : new Uint8Array(size)) as T
  larger.set(column)
  return larger
}
