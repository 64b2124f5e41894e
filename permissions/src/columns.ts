/** A copy with room for at least `capacity` numbers, and half as much again as there was, so that growing stays cheap. */
export function grown<T extends Int32Array | Uint8Array>(column: T, capacity: number): T {
  if (capacity <= column.length) return column
  const size = Math.max(capacity, Math.ceil(column.length * 1.5), 16)
  const larger = (column instanceof Int32Array ? new Int32Array(size) : new Uint8Array(size)) as T
  larger.set(column)
  return larger
}
