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

export type RecordKind = 'role' | 'organisation' | 'group'

/** An existing record that an import joins: users get the role, or become members. */
export interface Join {
  kind: RecordKind
  /** Of a role, its name. */
  id: string
  name: string
  /** Its name in the source. */
  label: string
  /** The roles that the members of a group have. */
  roles: string[]
  /** The number of users who join it. */
  users: number
  /** The number of new groups that get a role. */
  groups: number
}

/** A record of the source that the import neither joins nor adds, with the number of users who would have joined it. */
export interface NotJoined {
  kind: RecordKind
  label: string
  reason: string
  users: number
}

const maxExamples = 3

/** Collects what an import keeps, changes, drops and joins, and who comes without a password or not at all. */
export class Report {
  readonly #entries = new Map<string, ReportEntry>()
  readonly #notJoined = new Map<string, NotJoined>()
  /** Sentences about the whole file. */
  readonly notes: string[] = []
  /** The existing records that the import joins. */
  joins: Join[] = []
  /** Users whose password cannot be imported, with the reason. */
  readonly withoutPassword: { user: string; reason: string }[] = []
  /** Users who cannot be imported, with the reason. */
  readonly notImported: { user: string; reason: string }[] = []

  add(outcome: Outcome, field: string, { reason = '', record = '' } = {}): void {
    const key = JSON.stringify([outcome, field, reason])
    const entry = this.#entries.get(key) ?? { outcome, field, reason, count: 0, examples: [] }
    entry.count++
    if (record && entry.examples.length < maxExamples) entry.examples.push(record)
    this.#entries.set(key, entry)
  }

  /** Adds users to a record that they do not join. */
  addNotJoined({ users, ...record }: NotJoined): void {
    const key = JSON.stringify([record.kind, record.label, record.reason])
    const entry = this.#notJoined.get(key) ?? { ...record, users: 0 }
    entry.users += users
    this.#notJoined.set(key, entry)
  }

  /** Returns the entries: kept, changed and dropped fields, each in the order of the source. */
  get entries(): ReportEntry[] {
    const all = [...this.#entries.values()]
    return (['kept', 'changed', 'dropped'] as const).flatMap((outcome) =>
      all.filter((entry) => entry.outcome === outcome),
    )
  }

  /** Returns the records that users do not join. */
  get notJoined(): NotJoined[] {
    return [...this.#notJoined.values()]
  }
}
