import type { Budget } from './budget.ts'
import type { CheckVerdict } from './engine.ts'

/**
 * An answer as a number: no, has, unknown (it was too deep, or went in a circle), or from 3 on conditional with a set of
 * missing names that a `Verdicts` knows.
 */
export type Verdict = number

export const no: Verdict = 0
export const has: Verdict = 1
export const unknown: Verdict = 2
const firstConditional = 3

/** Stands among the missing names for a caveat that could not be worked out; no parameter has such a name. */
const failed = '!'

/**
 * Kleene's logic over verdicts. What is unknown is so in all that it could decide; conditional answers gather the names
 * that they miss.
 */
export class Verdicts {
  readonly #missing: string[][] = []
  readonly #numbers = new Map<string, Verdict>()
  #failure: Error | undefined
  readonly #budget: Budget

  constructor(budget: Budget) {
    this.#budget = budget
  }

  conditional(missing: readonly string[]): Verdict {
    this.#budget.spend(missing.length)
    const names = [...new Set(missing)].sort()
    const key = names.join(',')
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const verdict = this.#missing.push(names) - 1 + firstConditional
    this.#numbers.set(key, verdict)
    return verdict
  }

  /** A caveat that cannot be worked out spoils only what it could decide: it is thrown where that is told. */
  failure(fault: Error): Verdict {
    this.#failure ??= fault
    return this.conditional([failed])
  }

  missing(verdict: Verdict): readonly string[] {
    return this.#missing[verdict - firstConditional] ?? []
  }

  or(one: Verdict, other: Verdict): Verdict {
    if (one === no || one === other) return other
    if (other === no) return one
    if (one === has || other === has) return has
    return this.#both(one, other)
  }

  and(one: Verdict, other: Verdict): Verdict {
    if (one === has || one === other) return other
    if (other === has) return one
    if (one === no || other === no) return no
    return this.#both(one, other)
  }

  not(verdict: Verdict): Verdict {
    if (verdict === no) return has
    return verdict === has ? no : verdict
  }

  minus(base: Verdict, subtracted: Verdict): Verdict {
    return this.and(base, this.not(subtracted))
  }

  /** Throws the fault of a caveat that could not be worked out and decides. */
  told(verdict: Verdict): CheckVerdict {
    if (this.#failure && this.missing(verdict).includes(failed)) throw this.#failure
    return this.shown(verdict)
  }

  /** As it stands within a trace: what could not be worked out is conditional. */
  shown(verdict: Verdict): CheckVerdict {
    if (verdict === has) return { permissionship: 'hasPermission', missing: [] }
    if (verdict < firstConditional) return { permissionship: 'noPermission', missing: [] }
    return { permissionship: 'conditional', missing: this.missing(verdict).filter((name) => name !== failed) }
  }

  #both(one: Verdict, other: Verdict): Verdict {
    if (one === unknown || other === unknown) return unknown
    return this.conditional([...this.missing(one), ...this.missing(other)])
  }
}
