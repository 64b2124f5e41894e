import { grown } from './columns.ts'
import { PairIndex } from './pair-index.ts'

/** How far the answer to a question is. */
export const fresh = 0
/** It is being worked out; whoever asks it now went in a circle. */
export const open = 1
/** It rests on what is assumed of a question that is still open. */
export const provisional = 2
export const settled = 3

const largestKept = 4096

/** The questions of one run, each an object and a number that says what is asked of it, with what is known of them. */
export class Memo<V> {
  #questions = new PairIndex()
  values: V[] = []
  state = new Uint8Array(16)
  /** Of an open one: its place among the open ones. Of a provisional one: the lowest place that it rests on. */
  place = new Int32Array(16)
  /** How many further asks were needed; -1 where it was too deep. */
  height = new Int32Array(16)
  /** Where it was too deep: with how many asks left that was. */
  remaining = new Int32Array(16)

  clear(): void {
    if (this.#questions.end > largestKept) {
      this.#questions = new PairIndex()
      this.values = []
    } else this.#questions.clear()
  }

  find(object: number, what: number): number {
    return this.#questions.find(object, what)
  }

  add(object: number, what: number, value: V): number {
    const entry = this.#questions.insert(object, what)
    if (entry >= this.state.length) {
      this.state = grown(this.state, entry + 1)
      this.place = grown(this.place, entry + 1)
      this.height = grown(this.height, entry + 1)
      this.remaining = grown(this.remaining, entry + 1)
    }
    this.values[entry] = value
    this.state[entry] = fresh
    return entry
  }
}
