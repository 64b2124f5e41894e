/** What a contract entitles a buyer to in a dimension from `since` on. All instants are ISO 8601 in UTC with milliseconds. */
export interface EntitledQuantity {
  since: string
  quantity: number
  termStartsAt: string
}

/** The use of a dimension in one hour. */
interface UsedHour {
  hour: string
  used: number
}

/** What was used in a term until the end of an hour. */
export interface TermUsage {
  termStartsAt: string | null
  termUsed: number
}

export interface BilledHour extends TermUsage {
  /** What AWS bills. */
  quantity: number
}

const hourMs = 60 * 60 * 1000

/** Returns the use of a term above the quantity that it entitles to. */
const excessOf = (used: number, quantity: number) => Math.max(0, used - quantity)

/**
 * Returns what is billed for an hour of a contract with consumption: the use that exceeds what the current term entitles
 * to. `before` is the last hour before it, and `entitled` is sorted by `since`. A quantity counts for the whole hour in
 * which it changed. Usage before the first known quantity counts in its term.
 */
export function billExcess(
  { hour, used }: UsedHour,
  before: TermUsage | undefined,
  entitled: EntitledQuantity[],
): BilledHour {
  const end = new Date(Date.parse(hour) + hourMs).toISOString()
  const current = entitled.findLast(({ since }) => since < end) ?? entitled[0]
  const termStartsAt = current?.termStartsAt ?? null
  const usedBefore = before && before.termStartsAt === termStartsAt ? before.termUsed : 0
  const termUsed = usedBefore + used
  const quantity = current?.quantity ?? 0
  return { quantity: excessOf(termUsed, quantity) - excessOf(usedBefore, quantity), termStartsAt, termUsed }
}
