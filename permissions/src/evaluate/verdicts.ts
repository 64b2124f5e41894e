import type { CheckVerdict } from '../engine.ts'
import type { Budget } from './budget.ts'

/**
 * A verdict as a number: no, has, unknown (too deep or a cycle), or from 3 on conditional, with a set of missing names
 * held by a `Verdicts`.
 */
export type Verdict = number

export const no: Verdict = 0
export const has: Verdict = 1
export const unknown: Verdict = 2
const firstConditional = 3

/** The values of an evaluation and how they combine: the verdict of one subject, or a set of subjects. */
export interface Algebra<V> {
  readonly none: V
  or(left: V, right: V): V
  and(left: V, right: V): V
  minus(base: V, subtracted: V): V
  /** Applies the condition of a relationship. */
  applyCondition(value: V, condition: Verdict): V
  equals(left: V, right: V): boolean
  /** Reports whether a union with any other value leaves it unchanged. */
  isAll(value: V): boolean
  isNone(value: V): boolean
  /** Reports whether the value depends on a cycle or a path that is too deep. */
  isUnknown(value: V): boolean
}

/** Marks a caveat that failed, among the missing names; no parameter has such a name. */
const failed = '!'

/**
 * Kleene's three-valued logic over verdicts. An unknown operand makes the result unknown unless the other decides it.
 * Conditional answers collect their missing names.
 */
export class Verdicts implements Algebra<Verdict> {
  readonly none = no
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
    const existing = this.#numbers.get(key)
    if (existing !== undefined) return existing
    const verdict = this.#missing.push(names) - 1 + firstConditional
    this.#numbers.set(key, verdict)
    return verdict
  }

  /** A failed caveat affects only the results that depend on it: the error is thrown when such a result is read. */
  failure(error: Error): Verdict {
    this.#failure ??= error
    return this.conditional([failed])
  }

  missing(verdict: Verdict): readonly string[] {
    return this.#missing[verdict - firstConditional] ?? []
  }

  or(left: Verdict, right: Verdict): Verdict {
    if (left === no || left === right) return right
    if (right === no) return left
    if (left === has || right === has) return has
    return this.#mergeMissing(left, right)
  }

  and(left: Verdict, right: Verdict): Verdict {
    if (left === has || left === right) return right
    if (right === has) return left
    if (left === no || right === no) return no
    return this.#mergeMissing(left, right)
  }

  not(verdict: Verdict): Verdict {
    if (verdict === no) return has
    return verdict === has ? no : verdict
  }

  minus(base: Verdict, subtracted: Verdict): Verdict {
    return this.and(base, this.not(subtracted))
  }

  applyCondition(verdict: Verdict, condition: Verdict): Verdict {
    return this.and(verdict, condition)
  }

  equals(left: Verdict, right: Verdict): boolean {
    return left === right
  }

  isAll(verdict: Verdict): boolean {
    return verdict === has
  }

  isNone(verdict: Verdict): boolean {
    return verdict === no
  }

  isUnknown(verdict: Verdict): boolean {
    return verdict === unknown
  }

  /** Throws the error of a failed caveat that the verdict depends on. */
  toVerdict(verdict: Verdict): CheckVerdict {
    if (this.#failure && this.missing(verdict).includes(failed)) throw this.#failure
    return this.toTraceVerdict(verdict)
  }

  /** The verdict in a trace: a failed caveat is conditional. */
  toTraceVerdict(verdict: Verdict): CheckVerdict {
    if (verdict === has) return { permissionship: 'hasPermission', missing: [] }
    if (verdict < firstConditional) return { permissionship: 'noPermission', missing: [] }
    return { permissionship: 'conditional', missing: this.missing(verdict).filter((name) => name !== failed) }
  }

  #mergeMissing(left: Verdict, right: Verdict): Verdict {
    if (left === unknown || right === unknown) return unknown
    return this.conditional([...this.missing(left), ...this.missing(right)])
  }
}
