import type { Budget } from '../evaluate/budget.ts'
import { type Algebra, has, no, type Verdict, type Verdicts } from '../evaluate/verdicts.ts'

/**
 * A set of subjects of one type, by id. A subject is in the set if it was found individually, or if the wildcard is in
 * the set and the subject is not excluded.
 */
export interface SubjectSet {
  found: ReadonlyMap<string, Verdict>
  wildcard: Verdict
  /** The subjects that `wildcard` does not include. */
  excluded: ReadonlyMap<string, Verdict>
}

const noSubjects: ReadonlyMap<string, Verdict> = new Map()

export const emptySet: SubjectSet = { found: noSubjects, wildcard: no, excluded: noSubjects }

/** Combines sets: for each subject, by Kleene's three-valued logic. */
export class SubjectSets implements Algebra<SubjectSet> {
  readonly none = emptySet
  readonly #verdicts: Verdicts
  readonly #budget: Budget

  constructor(verdicts: Verdicts, budget: Budget) {
    this.#verdicts = verdicts
    this.#budget = budget
  }

  or(left: SubjectSet, right: SubjectSet): SubjectSet {
    if (this.isNone(left)) return right
    if (this.isNone(right)) return left
    this.#budget.spend(sizeOf(left) + sizeOf(right))
    const { or } = this.#logic
    const found = new Map(left.found)
    for (const [id, verdict] of right.found) found.set(id, or(found.get(id) ?? no, verdict))
    const wildcard = or(left.wildcard, right.wildcard)
    return this.#createSet(found, wildcard, this.#collectIds(left.excluded, right.excluded), (id) =>
      this.#computeExcludedByBoth(left, right, found, id),
    )
  }

  and(left: SubjectSet, right: SubjectSet): SubjectSet {
    this.#budget.spend(sizeOf(left) + sizeOf(right))
    const { or, and } = this.#logic
    const found = new Map<string, Verdict>()
    for (const id of this.#collectIds(left.found, right.found)) {
      const fromLeft = and(left.found.get(id) ?? no, this.verdictOf(right, id))
      setOrDelete(found, id, or(fromLeft, and(right.found.get(id) ?? no, this.verdictOf(left, id))))
    }
    const excluded = this.#collectIds(left.excluded, right.excluded)
    return this.#createSet(found, and(left.wildcard, right.wildcard), excluded, (id) => {
      return or(left.excluded.get(id) ?? no, right.excluded.get(id) ?? no)
    })
  }

  minus(base: SubjectSet, subtracted: SubjectSet): SubjectSet {
    if (this.isNone(subtracted)) return base
    this.#budget.spend(sizeOf(base) + sizeOf(subtracted))
    const { or, and, minus } = this.#logic
    const found = new Map<string, Verdict>()
    for (const [id, verdict] of base.found) setOrDelete(found, id, minus(verdict, this.verdictOf(subtracted, id)))
    for (const [id, verdict] of subtracted.excluded) {
      const inBase = minus(base.wildcard, base.excluded.get(id) ?? no)
      const reincluded = and(minus(inBase, subtracted.found.get(id) ?? no), and(verdict, subtracted.wildcard))
      if (!found.has(id) || reincluded !== no) setOrDelete(found, id, or(found.get(id) ?? no, reincluded))
    }
    const excluded = this.#collectIds(base.excluded, subtracted.found)
    return this.#createSet(found, minus(base.wildcard, subtracted.wildcard), excluded, (id) => {
      return or(base.excluded.get(id) ?? no, subtracted.found.get(id) ?? no)
    })
  }

  /** Adds a condition to every member. */
  applyCondition(set: SubjectSet, condition: Verdict): SubjectSet {
    if (condition === has) return set
    this.#budget.spend(sizeOf(set))
    const found = new Map<string, Verdict>()
    for (const [id, verdict] of set.found) setOrDelete(found, id, this.#verdicts.and(verdict, condition))
    return { found, wildcard: this.#verdicts.and(set.wildcard, condition), excluded: set.excluded }
  }

  equals(left: SubjectSet, right: SubjectSet): boolean {
    this.#budget.spend(sizeOf(left))
    return (
      left.wildcard === right.wildcard &&
      isEqualMap(left.found, right.found) &&
      isEqualMap(left.excluded, right.excluded)
    )
  }

  /** No set is final: another may add subjects. */
  isAll(): boolean {
    return false
  }

  isNone({ found, wildcard }: SubjectSet): boolean {
    return wildcard === no && found.size === 0
  }

  /** A set that depends on a cycle or a path that is too deep is an error. */
  isUnknown(): boolean {
    return false
  }

  /** Returns the verdict for one subject. */
  verdictOf(set: SubjectSet, id: string): Verdict {
    const { or, minus } = this.#logic
    return or(set.found.get(id) ?? no, minus(set.wildcard, set.excluded.get(id) ?? no))
  }

  readonly #logic = {
    or: (left: Verdict, right: Verdict) => this.#verdicts.or(left, right),
    and: (left: Verdict, right: Verdict) => this.#verdicts.and(left, right),
    minus: (left: Verdict, right: Verdict) => this.#verdicts.minus(left, right),
  }

  /** Returns whether a union excludes a subject: neither `wildcard` includes it, and it was not found individually. */
  #computeExcludedByBoth(
    left: SubjectSet,
    right: SubjectSet,
    found: ReadonlyMap<string, Verdict>,
    id: string,
  ): Verdict {
    const { and, minus } = this.#logic
    const excluded = and(this.#computeExcludedBy(left, id, right), this.#computeExcludedBy(right, id, left))
    return minus(excluded, found.get(id) ?? no)
  }

  /**
   * Returns whether the `wildcard` of a set does not include a subject. If the other set has no wildcard, only the
   * exclusion counts, because the union has the condition of this wildcard.
   */
  #computeExcludedBy({ wildcard, excluded }: SubjectSet, id: string, right: SubjectSet): Verdict {
    if (wildcard === no) return has
    const isExcluded = excluded.get(id) ?? no
    return right.wildcard === no ? isExcluded : this.#verdicts.or(isExcluded, this.#verdicts.not(wildcard))
  }

  #collectIds(left: ReadonlyMap<string, Verdict>, right: ReadonlyMap<string, Verdict>): Iterable<string> {
    return new Set([...left.keys(), ...right.keys()])
  }

  #createSet(
    found: ReadonlyMap<string, Verdict>,
    wildcard: Verdict,
    ids: Iterable<string>,
    excludes: (id: string) => Verdict,
  ): SubjectSet {
    if (wildcard === no) return { found, wildcard, excluded: noSubjects }
    const excluded = new Map<string, Verdict>()
    for (const id of ids) setOrDelete(excluded, id, excludes(id))
    return { found, wildcard, excluded }
  }
}

function setOrDelete(map: Map<string, Verdict>, id: string, verdict: Verdict): void {
  if (verdict === no) map.delete(id)
  else map.set(id, verdict)
}

/** Returns the number of entries to visit. */
function sizeOf({ found, excluded }: SubjectSet): number {
  return found.size + excluded.size
}

function isEqualMap(left: ReadonlyMap<string, Verdict>, right: ReadonlyMap<string, Verdict>): boolean {
  if (left.size !== right.size) return false
  for (const [id, verdict] of left) if (right.get(id) !== verdict) return false
  return true
}
