import { PermissionError } from '../error.ts'

/**
 * The maximum number of steps per request. A step is a visited relationship or part of an expression, a merged entry of
 * a set, or a round of a loop in a caveat. The maximum takes less than a second of CPU time. In the benchmark with a
 * million relationships, finding 10,190 resources takes 141,947 steps, finding 1,000 subjects 7,032, and a check at
 * most 85.
 */
export const maxSteps = 2_000_000

/** The remaining steps of a request. Evaluation is limited because it is synchronous and blocks all other requests. */
export class Budget {
  #left: number

  constructor(steps = maxSteps) {
    this.#left = steps
  }

  get left(): number {
    return Math.max(0, this.#left)
  }

  get isSpent(): boolean {
    return this.#left < 0
  }

  /** Throws `too-much-work` if fewer steps are left: a partial result would be wrong. */
  spend(steps = 1): void {
    this.#left -= steps
    if (this.#left < 0) throw tooMuchWork()
  }
}

const tooMuchWork = () => new PermissionError('too-much-work', 'The request exceeds the work limit.')
