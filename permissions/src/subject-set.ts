import type { Budget } from './budget.ts'
import { has, no, type Verdict, type Verdicts } from './verdicts.ts'

/**
 * A set of subjects of one type, by id: those that were found themselves, and everyone but the excluded. Someone is in
 * it where they were found, or where everyone is and they are not excluded.
 */
export interface SubjectSet {
  found: ReadonlyMap<string, Verdict>
  everyone: Verdict
  /** Where everyone is in it: who is not. */
  excluded: ReadonlyMap<string, Verdict>
}

const nobody: ReadonlyMap<string, Verdict> = new Map()

export const emptySet: SubjectSet = { found: nobody, everyone: no, excluded: nobody }

/** Puts sets together, each subject by Kleene's logic. */
export class SubjectSets {
  readonly #verdicts: Verdicts
  readonly #budget: Budget

  constructor(verdicts: Verdicts, budget: Budget) {
    this.#verdicts = verdicts
    this.#budget = budget
  }

  or(one: SubjectSet, other: SubjectSet): SubjectSet {
    if (isEmpty(one)) return other
    if (isEmpty(other)) return one
    this.#budget.spend(sizeOf(one) + sizeOf(other))
    const { or } = this.#logic
    const found = new Map(one.found)
    for (const [id, verdict] of other.found) found.set(id, or(found.get(id) ?? no, verdict))
    const everyone = or(one.everyone, other.everyone)
    return this.#set(found, everyone, this.#ids(one.excluded, other.excluded), (id) =>
      this.#excludedByBoth(one, other, found, id),
    )
  }

  and(one: SubjectSet, other: SubjectSet): SubjectSet {
    this.#budget.spend(sizeOf(one) + sizeOf(other))
    const { or, and } = this.#logic
    const found = new Map<string, Verdict>()
    for (const id of this.#ids(one.found, other.found)) {
      const here = and(one.found.get(id) ?? no, this.of(other, id))
      put(found, id, or(here, and(other.found.get(id) ?? no, this.of(one, id))))
    }
    const excluded = this.#ids(one.excluded, other.excluded)
    return this.#set(found, and(one.everyone, other.everyone), excluded, (id) => {
      return or(one.excluded.get(id) ?? no, other.excluded.get(id) ?? no)
    })
  }

  minus(base: SubjectSet, subtracted: SubjectSet): SubjectSet {
    if (isEmpty(subtracted)) return base
    this.#budget.spend(sizeOf(base) + sizeOf(subtracted))
    const { or, and, minus } = this.#logic
    const found = new Map<string, Verdict>()
    for (const [id, verdict] of base.found) put(found, id, minus(verdict, this.of(subtracted, id)))
    for (const [id, verdict] of subtracted.excluded) {
      const inBase = minus(base.everyone, base.excluded.get(id) ?? no)
      const spared = and(minus(inBase, subtracted.found.get(id) ?? no), and(verdict, subtracted.everyone))
      if (!found.has(id) || spared !== no) put(found, id, or(found.get(id) ?? no, spared))
    }
    const excluded = this.#ids(base.excluded, subtracted.found)
    return this.#set(found, minus(base.everyone, subtracted.everyone), excluded, (id) => {
      return or(base.excluded.get(id) ?? no, subtracted.found.get(id) ?? no)
    })
  }

  /** Under a condition. */
  under(set: SubjectSet, condition: Verdict): SubjectSet {
    if (condition === has) return set
    this.#budget.spend(sizeOf(set))
    const found = new Map<string, Verdict>()
    for (const [id, verdict] of set.found) put(found, id, this.#verdicts.and(verdict, condition))
    return { found, everyone: this.#verdicts.and(set.everyone, condition), excluded: set.excluded }
  }

  /** Whether one subject is in it. */
  of(set: SubjectSet, id: string): Verdict {
    const { or, minus } = this.#logic
    return or(set.found.get(id) ?? no, minus(set.everyone, set.excluded.get(id) ?? no))
  }

  readonly #logic = {
    or: (one: Verdict, other: Verdict) => this.#verdicts.or(one, other),
    and: (one: Verdict, other: Verdict) => this.#verdicts.and(one, other),
    minus: (one: Verdict, other: Verdict) => this.#verdicts.minus(one, other),
  }

  /** Excluded is who neither side has as one of everyone, and who was not found besides. */
  #excludedByBoth(one: SubjectSet, other: SubjectSet, found: ReadonlyMap<string, Verdict>, id: string): Verdict {
    const { and, minus } = this.#logic
    const kept = and(this.#kept(one, id, other), this.#kept(other, id, one))
    return minus(kept, found.get(id) ?? no)
  }

  /** Whether someone is kept from a set as one of everyone; where the other has not everyone, being excluded is enough. */
  #kept({ everyone, excluded }: SubjectSet, id: string, other: SubjectSet): Verdict {
    if (everyone === no) return has
    const isExcluded = excluded.get(id) ?? no
    return other.everyone === no ? isExcluded : this.#verdicts.or(isExcluded, this.#verdicts.not(everyone))
  }

  #ids(one: ReadonlyMap<string, Verdict>, other: ReadonlyMap<string, Verdict>): Iterable<string> {
    return new Set([...one.keys(), ...other.keys()])
  }

  #set(
    found: ReadonlyMap<string, Verdict>,
    everyone: Verdict,
    ids: Iterable<string>,
    excludes: (id: string) => Verdict,
  ): SubjectSet {
    if (everyone === no) return { found, everyone, excluded: nobody }
    const excluded = new Map<string, Verdict>()
    for (const id of ids) put(excluded, id, excludes(id))
    return { found, everyone, excluded }
  }
}

function put(map: Map<string, Verdict>, id: string, verdict: Verdict): void {
  if (verdict === no) map.delete(id)
  else map.set(id, verdict)
}

/** How many entries there are to go through. */
export const sizeOf = ({ found, excluded }: SubjectSet): number => found.size + excluded.size

export function isEmpty({ found, everyone }: SubjectSet): boolean {
  return everyone === no && found.size === 0
}

export function sameSets(one: SubjectSet, other: SubjectSet): boolean {
  return one.everyone === other.everyone && sameMaps(one.found, other.found) && sameMaps(one.excluded, other.excluded)
}

function sameMaps(one: ReadonlyMap<string, Verdict>, other: ReadonlyMap<string, Verdict>): boolean {
  if (one.size !== other.size) return false
  for (const [id, verdict] of one) if (other.get(id) !== verdict) return false
  return true
}
