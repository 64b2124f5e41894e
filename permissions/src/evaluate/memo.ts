import { ensureCapacity, PairIndex } from '../graph/number-tables.ts'

/** The goal, a permission or relation of an object, has no valid result yet. */
export const fresh = 0
/** Under evaluation; dispatching the goal again is a cycle. */
export const open = 1
/** The result depends on the assumed value of an open goal. */
export const provisional = 2
export const settled = 3

/** If more goals were memoised, `clear` frees their memory. */
const maxRetained = 4096

/** The memoised goals of one evaluation. A goal is an object and a number of the evaluator's choice. */
export class Memo<V> {
  #goals = new PairIndex()
  values: V[] = []
  state = new Uint8Array(16)
  /** The lowlink of a provisional goal; for an open one, its position on the stack. */
  lowlink = new Int32Array(16)
  /** The depth of the evaluation below the goal; -1 if it was too deep. */
  height = new Int32Array(16)
  /** The remaining depth when the goal was evaluated. */
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
