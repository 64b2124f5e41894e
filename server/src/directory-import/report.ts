/** What became of a field of the source. */
export type Outcome = 'kept' | 'changed' | 'dropped'

/** A field of the source with the same outcome for the same reason, in any number of records. */
export interface ReportEntry {
  outcome: Outcome
  /** The field, as the source names it: `users.email`. */
  field: string
  /** Why it was changed or dropped, or to what; empty if it was kept. */
  reason: string
  count: number
  /** The first records, by their names in the source. */
  examples: string[]
}

const maxExamples = 3

/** Collects what an import keeps, changes and drops, and who comes without a password or not at all. */
export class Report {
  readonly #entries = new Map<string, ReportEntry>()
  /** Users whose password cannot be imported, with the reason. */
  readonly withoutPassword: { user: string; reason: string }[] = []
  /** Users who cannot be imported, with the reason. */
  readonly notImported: { user: string; reason: string }[] = []

  add(outcome: Outcome, field: string, { reason = '', record = '' } = {}): void {
    const key = `${outcome} ${field} ${reason}`
    const entry = this.#entries.get(key) ?? { outcome, field, reason, count: 0, examples: [] }
    entry.count++
    if (record && entry.examples.length < maxExamples) entry.examples.push(record)
    this.#entries.set(key, entry)
  }

  /** Returns the entries: kept, changed and dropped fields, each in the order of the source. */
  get entries(): ReportEntry[] {
    const all = [...this.#entries.values()]
    return (['kept', 'changed', 'dropped'] as const).flatMap((outcome) =>
      all.filter((entry) => entry.outcome === outcome),
    )
  }
}
