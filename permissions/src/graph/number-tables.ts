const empty = -1
const freed = -2

/**
 * Returns the column, or a copy of at least `capacity` numbers. Copies grow by half, so that many insertions copy
 * rarely.
 */
export function ensureCapacity<T extends Int32Array | Uint8Array>(column: T, capacity: number): T {
  if (capacity <= column.length) return column
  const size = Math.max(capacity, Math.ceil(column.length * 1.5), 16)
  const larger = (column instanceof Int32Array ? new Int32Array(size) : new Uint8Array(size)) as T
  larger.set(column)
  return larger
}

/** The slots of a hash table with open addressing, which hold the numbers of entries. */
abstract class NumberTable {
  size = 0
  protected slots = new Int32Array(32).fill(empty)

  protected abstract hashAt(number: number): number
  /** Returns the numbers of all entries. */
  protected abstract numbers(): Iterable<number>

  protected place(number: number): void {
    const mask = this.slots.length - 1
    let slot = this.hashAt(number) & mask
    while (this.slots[slot] !== empty) slot = (slot + 1) & mask
    this.slots[slot] = number
  }

  /** Shifts the following entries back, so that no search stops early at the gap. */
  protected unplace(number: number): void {
    const { slots } = this
    const mask = slots.length - 1
    let gap = this.hashAt(number) & mask
    while (slots[gap] !== number) gap = (gap + 1) & mask
    for (let slot = (gap + 1) & mask; slots[slot] !== empty; slot = (slot + 1) & mask) {
      const other = slots[slot] as number
      if (((slot - this.hashAt(other)) & mask) < ((slot - gap) & mask)) continue
      slots[gap] = other
      gap = slot
    }
    slots[gap] = empty
  }

  /** Makes room for one more entry, at a load factor of at most 70 %. */
  protected growIfNeeded(): void {
    if ((this.size + 1) * 10 <= this.slots.length * 7) return
    this.slots = new Int32Array(this.slots.length * 2).fill(empty)
    for (const number of this.numbers()) this.place(number)
  }
}

/** Numbers pairs of numbers, so that callers can index columns by pair. The numbers of removed pairs are reused. */
export class PairIndex extends NumberTable {
  first = new Int32Array(16)
  second = new Int32Array(16)
  /** One more than the highest number assigned so far. */
  end = 0
  #free = empty

  find(first: number, second: number): number {
    const { slots } = this
    const mask = slots.length - 1
    for (let slot = hashOfPair(first, second) & mask; ; slot = (slot + 1) & mask) {
      const number = slots[slot] as number
      if (number === empty || (this.first[number] === first && this.second[number] === second)) return number
    }
  }

  /** The pair must not exist yet. */
  insert(first: number, second: number): number {
    this.growIfNeeded()
    const number = this.#allocate()
    this.first[number] = first
    this.second[number] = second
    this.size++
    this.place(number)
    return number
  }

  remove(number: number): void {
    this.unplace(number)
    this.first[number] = freed
    this.second[number] = this.#free
    this.#free = number
    this.size--
  }

  clear(): void {
    if (this.end === 0) return
    this.slots.fill(empty)
    this.end = 0
    this.size = 0
    this.#free = empty
  }

  #allocate(): number {
    if (this.#free !== empty) {
      const number = this.#free
      this.#free = this.second[number] as number
      return number
    }
    this.first = ensureCapacity(this.first, this.end + 1)
    this.second = ensureCapacity(this.second, this.end + 1)
    return this.end++
  }

  protected hashAt(number: number): number {
    return hashOfPair(this.first[number] as number, this.second[number] as number)
  }

  protected *numbers(): Iterable<number> {
    for (let number = 0; number < this.end; number++) if (this.first[number] !== freed) yield number
  }
}

/** Numbers objects by the number of their type and their id. The numbers of removed objects are reused. */
export class ObjectIndex extends NumberTable {
  type = new Int32Array(16)
  readonly ids: (string | undefined)[] = []
  /** The hash of each object, so that only a likely match compares ids. */
  #hashes = new Int32Array(16)
  #free: number[] = []

  find(type: number, id: string): number {
    const mask = this.slots.length - 1
    const hash = hashOf(type, id)
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = this.slots[slot] as number
      if (number === empty) return number
      if (this.#hashes[number] === hash && this.type[number] === type && this.ids[number] === id) return number
    }
  }

  /** Like `find`, for an id in ASCII bytes. */
  findBytes(type: number, bytes: Uint8Array, start: number, end: number): number {
    const mask = this.slots.length - 1
    const hash = hashOfBytes(type, bytes, start, end)
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = this.slots[slot] as number
      if (number === empty) return number
      if (this.#hashes[number] !== hash || this.type[number] !== type) continue
      if (equalsBytes(this.ids[number] as string, bytes, start, end)) return number
    }
  }

  /** The object must not exist yet. */
  insert(type: number, id: string): number {
    this.growIfNeeded()
    const number = this.#free.pop() ?? this.ids.length
    this.type = ensureCapacity(this.type, number + 1)
    this.#hashes = ensureCapacity(this.#hashes, number + 1)
    this.type[number] = type
    this.#hashes[number] = hashOf(type, id)
    this.ids[number] = id
    this.size++
    this.place(number)
    return number
  }

  remove(number: number): void {
    this.unplace(number)
    this.ids[number] = undefined
    this.#free.push(number)
    this.size--
  }

  *numbers(): Iterable<number> {
    for (let number = 0; number < this.ids.length; number++) if (this.ids[number] !== undefined) yield number
  }

  protected hashAt(number: number): number {
    return this.#hashes[number] as number
  }
}

function hashOfPair(first: number, second: number): number {
  let mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d)
  return mixed ^ (mixed >>> 15)
}

/** FNV-1a. */
function hashOf(type: number, id: string): number {
  let hash = 0x811c9dc5 ^ type
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193)
  return hash ^ (hash >>> 15)
}

function hashOfBytes(type: number, bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5 ^ type
  for (let index = start; index < end; index++) hash = Math.imul(hash ^ (bytes[index] as number), 0x01000193)
  return hash ^ (hash >>> 15)
}

function equalsBytes(text: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (text.length !== end - start) return false
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) !== bytes[start + index]) return false
  return true
}
