import { ensureCapacity } from './columns.ts'

const empty = -1

/** Maps objects, by type number and id, to numbers. Numbers of removed objects are reused. */
export class ObjectIndex {
  type = new Int32Array(16)
  readonly ids: (string | undefined)[] = []
  /** Cached hashes, so that moves and misses need not read the ids. */
  #hashes = new Int32Array(16)
  size = 0
  #slots = new Int32Array(32).fill(empty)
  #free: number[] = []

  find(type: number, id: string): number {
    const mask = this.#slots.length - 1
    const hash = hashOf(type, id)
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] as number
      if (number === empty) return number
      if (this.#hashes[number] === hash && this.type[number] === type && this.ids[number] === id) return number
    }
  }

  /** Like `find`, for an id in ASCII bytes. */
  findBytes(type: number, bytes: Uint8Array, start: number, end: number): number {
    const mask = this.#slots.length - 1
    const hash = hashOfBytes(type, bytes, start, end)
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] as number
      if (number === empty) return number
      if (this.#hashes[number] !== hash || this.type[number] !== type) continue
      if (equalsBytes(this.ids[number] as string, bytes, start, end)) return number
    }
  }

  /** The object must not exist yet. */
  insert(type: number, id: string): number {
    if ((this.size + 1) * 10 > this.#slots.length * 7) this.#rehash(this.#slots.length * 2)
    const number = this.#free.pop() ?? this.ids.length
    this.type = ensureCapacity(this.type, number + 1)
    this.#hashes = ensureCapacity(this.#hashes, number + 1)
    this.type[number] = type
    this.#hashes[number] = hashOf(type, id)
    this.ids[number] = id
    this.size++
    this.#place(number)
    return number
  }

  remove(number: number): void {
    this.#unplace(number)
    this.ids[number] = undefined
    this.#free.push(number)
    this.size--
  }

  get bytes(): number {
    return this.type.byteLength + this.#hashes.byteLength + this.#slots.byteLength + this.ids.length * 8
  }

  #home(number: number): number {
    return (this.#hashes[number] as number) & (this.#slots.length - 1)
  }

  #place(number: number): void {
    const mask = this.#slots.length - 1
    let slot = this.#home(number)
    while (this.#slots[slot] !== empty) slot = (slot + 1) & mask
    this.#slots[slot] = number
  }

  #unplace(number: number): void {
    const slots = this.#slots
    const mask = slots.length - 1
    let gap = this.#home(number)
    while (slots[gap] !== number) gap = (gap + 1) & mask
    for (let slot = (gap + 1) & mask; slots[slot] !== empty; slot = (slot + 1) & mask) {
      const other = slots[slot] as number
      if (((slot - this.#home(other)) & mask) < ((slot - gap) & mask)) continue
      slots[gap] = other
      gap = slot
    }
    slots[gap] = empty
  }

  #rehash(size: number): void {
    this.#slots = new Int32Array(size).fill(empty)
    for (let number = 0; number < this.ids.length; number++) if (this.ids[number] !== undefined) this.#place(number)
  }
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
