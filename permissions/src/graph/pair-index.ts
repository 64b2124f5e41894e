import { ensureCapacity } from './columns.ts'

const empty = -1
const freed = -2

/**
 * A hash table of pairs of numbers with open addressing. Each pair gets a number of its own. Numbers of removed pairs
 * are reused, and the caller indexes its own columns by them.
 */
export class PairIndex {
  first = new Int32Array(16)
  second = new Int32Array(16)
  /** One more than the highest number assigned so far. */
  end = 0
  size = 0
  #slots = new Int32Array(32).fill(empty)
  #free = empty

  find(first: number, second: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    for (let slot = hash(first, second) & mask; ; slot = (slot + 1) & mask) {
      const number = slots[slot] as number
      if (number === empty || (this.first[number] === first && this.second[number] === second)) return number
    }
  }

  /** The pair must not exist yet. */
  insert(first: number, second: number): number {
    if ((this.size + 1) * 10 > this.#slots.length * 7) this.#rehash(this.#slots.length * 2)
    const number = this.#allocate()
    this.first[number] = first
    this.second[number] = second
    this.size++
    this.#place(number)
    return number
  }

  remove(number: number): void {
    this.#unplace(number)
    this.first[number] = freed
    this.second[number] = this.#free
    this.#free = number
    this.size--
  }

  has(number: number): boolean {
    return this.first[number] !== freed
  }

  clear(): void {
    if (this.end === 0) return
    this.#slots.fill(empty)
    this.end = 0
    this.size = 0
    this.#free = empty
  }

  get bytes(): number {
    return this.first.byteLength + this.second.byteLength + this.#slots.byteLength
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

  #place(number: number): void {
    const mask = this.#slots.length - 1
    let slot = hash(this.first[number] as number, this.second[number] as number) & mask
    while (this.#slots[slot] !== empty) slot = (slot + 1) & mask
    this.#slots[slot] = number
  }

  /** Shifts the following entries back, so that no search stops early at the gap. */
  #unplace(number: number): void {
    const slots = this.#slots
    const mask = slots.length - 1
    let gap = hash(this.first[number] as number, this.second[number] as number) & mask
    while (slots[gap] !== number) gap = (gap + 1) & mask
    for (let slot = (gap + 1) & mask; slots[slot] !== empty; slot = (slot + 1) & mask) {
      const other = slots[slot] as number
      const home = hash(this.first[other] as number, this.second[other] as number) & mask
      if (((slot - home) & mask) < ((slot - gap) & mask)) continue
      slots[gap] = other
      gap = slot
    }
    slots[gap] = empty
  }

  #rehash(size: number): void {
    this.#slots = new Int32Array(size).fill(empty)
    for (let number = 0; number < this.end; number++) if (this.has(number)) this.#place(number)
  }
}

function hash(first: number, second: number): number {
  let mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d)
  return mixed ^ (mixed >>> 15)
}
