import type { NoticeScope } from '../notices/store.ts'
import type { MailContent } from './message.ts'

/** What every kind of email may mention. */
export interface WriteContext {
  /** The name of the product for the recipient: that of their organisation, or of the installation. */
  brandName: string
  publicUrl: string
}

/** A kind of email: declared once, rendered as text and as HTML, with examples for its preview. */
export interface MailKind<Data> {
  write: (data: Data, context: WriteContext) => MailContent
  /** Data without secrets, by the name of the case. The first one is shown first. */
  examples: Readonly<Record<string, Data>>
  /** The time for which the content is true; afterwards the email is not sent any more. Defaults to 7 days. */
  validMinutes?: (data: Data) => number
  /**
   * How many emails of the kind a recipient gets within 24 hours; later ones are sent as one, a day after the first of them.
   * Null for a kind whose senders limit it themselves. Defaults to 3.
   */
  perDay?: number | null
  /** For a notice: what its link ends; by default all sessions and tokens of the account. */
  ends?: (data: Data) => Partial<NoticeScope>
}

export const defaultValidMinutes = 7 * 24 * 60

export const defaultPerDay = 3

/** Declares a kind of email. */
export const defineMail = <Data>(kind: MailKind<Data>): MailKind<Data> => kind

/** The origin of a change, as a recipient knows it. */
export interface MailOrigin {
  /** Empty if it is unknown. */
  device: string
  ip: string
}

/** Formats a day: 27 November 2026. */
export const formatDay = (instant: string): string =>
  new Date(instant).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** Formats an instant for readers in any time zone: 27 November 2026 at 20:14 UTC. */
export const formatInstant = (instant: string): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(instant))} UTC`
