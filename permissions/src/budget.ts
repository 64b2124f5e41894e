import { PermissionFault } from './fault.ts'

/**
 * So many steps one question may take: relationships and parts of expressions that are looked at, entries of sets that
 * are put together, rounds of loops in caveats. To find 10,190 resources among the million relationships of the bench
 * takes 141,947, to find 1,000 subjects 7,032, and no check there more than 85; all of it is under a second of a core.
 */
export const maxSteps = 2_000_000

/** What is left of the work that may go into an answer: the event loop waits for it, and everyone else with it. */
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

  /** Throws `too-much-work` where less is left. What is worked out by then is no answer. */
  spend(steps = 1): void {
    this.#left -= steps
    if (this.#left < 0) throw tooMuchWork()
  }
}

const tooMuchWork = () =>
  new PermissionFault('too-much-work', 'The way to the answer leads over more than is looked at for one question.')
