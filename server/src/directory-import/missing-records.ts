import { InvalidSource } from './source.ts'

/** The number of missing records that an error names. */
const maxNamed = 20

/** Collects references of a source to records that it lacks. */
export class MissingRecords {
  readonly #records = new Map<string, string>()

  /** Adds a missing record, such as `the role crew`, and one that refers to it. */
  add(record: string, referrer: string): void {
    if (!this.#records.has(record)) this.#records.set(record, referrer)
  }

  /** Throws `InvalidSource` with the missing records, followed by `advice`. */
  reject(advice: string): void {
    if (this.#records.size === 0) return
    const named = [...this.#records].slice(0, maxNamed).map(([record, referrer]) => `${record} (of ${referrer})`)
    const more = this.#records.size > maxNamed ? ` and ${this.#records.size - maxNamed} more` : ''
    throw new InvalidSource(`The file lacks what it refers to: ${named.join(', ')}${more}. ${advice}`)
  }
}
