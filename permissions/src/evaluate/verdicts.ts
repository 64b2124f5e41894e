import type { CheckVerdict } from '../engine.ts'
import type { Budget } from './budget.ts'

/**
 * The result for one subject, as a number: `no`, `has`, `unknown` (too deep or a cycle), or from 3 on a condition that
 * a `Verdicts` maps to its missing names.
 */
export type Verdict = number

export const no: Verdict = 0
export const has: Verdict = 1
export const unknown: Verdict = 2
const firstConditional = 3

/** The operations on the values of an evaluation: verdicts of one subject, or sets of subjects. */
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

/** Stands among the missing names for a failed caveat. Parameters cannot have this name. */
const failed = '!'

/**
 * Kleene's three-valued logic over verdicts. An unknown operand makes the result unknown unless the other operand
 * decides it. A conditional result has the missing names of both operands.
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

  createConditional(missing: readonly string[]): Verdict {
    this.#budget.spend(missing.length)
    const names = [...new Set(missing)].sort()
    const key = names.join(',')
    const existing = this.#numbers.get(key)
    if (existing !== undefined) return existing
    const verdict = this.#missing.push(names) - 1 + firstConditional
    this.#numbers.set(key, verdict)
    return verdict
  }

  /** Returns a verdict for a failed caveat. `toVerdict` throws the error for results that depend on it. */
  recordFailure(error: Error): Verdict {
    this.#failure ??= error
    return this.createConditional([failed])
  }

  missingOf(verdict: Verdict): readonly string[] {
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

  /** Converts a verdict to a result. Throws the error of a failed caveat that the verdict depends on. */
  toVerdict(verdict: Verdict): CheckVerdict {
    if (this.#failure && this.missingOf(verdict).includes(failed)) throw this.#failure
    return this.toTraceVerdict(verdict)
  }

  /** Like `toVerdict`, for a trace: a failed caveat makes the result conditional. */
  toTraceVerdict(verdict: Verdict): CheckVerdict {
    if (verdict === has) return { permissionship: 'hasPermission', missing: [] }
    if (verdict < firstConditional) return { permissionship: 'noPermission', missing: [] }
    return { permissionship: 'conditional', missing: this.missingOf(verdict).filter((name) => name !== failed) }
  }

  #mergeMissing(left: Verdict, right: Verdict): Verdict {
    if (left === unknown || right === unknown) return unknown
    return this.createConditional([...this.missingOf(left), ...this.missingOf(right)])
  }
}
