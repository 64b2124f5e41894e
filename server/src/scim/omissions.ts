import { toStorableText } from '../http/storable-text.ts'
import { redactText } from './redact.ts'

/** The most attributes that the log names for one request. */
const maxNamed = 20

/** What a request has that is not stored, with the reasons. One value never refuses the user or the group that has it. */
export class Omissions {
  readonly #reasons = new Map<string, string>()

  /** Adds an attribute by its path, with a clause that says why. The first reason of an attribute counts. */
  add(path: string, reason: string): void {
    const name = redactText(toStorableText(path, 100))
    if (!this.#reasons.has(name)) this.#reasons.set(name, reason)
  }

  /** Returns the sentence for the log, or nothing. */
  toNotes(): string[] {
    if (this.#reasons.size === 0) return []
    const named = Map.groupBy([...this.#reasons].slice(0, maxNamed), ([, reason]) => reason)
    const parts = [...named].map(([reason, paths]) => `${paths.map(([path]) => path).join(', ')} (${reason})`)
    const rest = this.#reasons.size - maxNamed
    return [`Not stored: ${[...parts, ...(rest > 0 ? [`${rest} more`] : [])].join('; ')}.`]
  }
}
