import { ensureCapacity, PairIndex } from '../graph/number-tables.ts'

/** The evaluation state of a goal: a permission or relation of an object. */
export const fresh = 0
/** Under evaluation; asking it again is a cycle. */
export const open = 1
/** Depends on an assumption about a goal that is still open. */
export const provisional = 2
export const settled = 3

const maxRetained = 4096

/** The memoised goals of one run, each an object and the number of a permission or relation. */
export class Memo<V> {
  #goals = new PairIndex()
  values: V[] = []
  state = new Uint8Array(16)
  /** For an open goal: its position on the stack. For a provisional one: its lowlink. */
  lowlink = new Int32Array(16)
  /** The depth needed below it; -1 if it was too deep. */
  height = new Int32Array(16)
  /** If it was too deep: the remaining depth at that time. */
  remaining = new Int32Array(16)

  clear(): void {
    if (this.#goals.end > maxRetained) {
      this.#goals = new PairIndex()
      this.values = []
    } else this.#goals.clear()
  }

  find(object: number, goal: number): number {
    return this.#goals.find(object, goal)
  }

  add(object: number, goal: number, value: V): number {
    const entry = this.#goals.insert(object, goal)
    if (entry >= this.state.length) {
      this.state = ensureCapacity(this.state, entry + 1)
      this.lowlink = ensureCapacity(this.lowlink, entry + 1)
      this.height = ensureCapacity(this.height, entry + 1)
      this.remaining = ensureCapacity(this.remaining, entry + 1)
    }
    this.values[entry] = value
    this.state[entry] = fresh
    return entry
  }
}
