export interface MailLink {
  label: string
  url: string
}

/** A label and its value, such as a device. */
export type Fact = readonly [label: string, value: string]

/** The content of an email, from which its text and its HTML are rendered. All values are plain text. */
export interface MailContent {
  subject: string
  /** After the greeting; the first one is also the preview in a mailbox. */
  paragraphs: string[]
  /** A table below the paragraphs. */
  facts?: Fact[]
  /** A code to type. */
  code?: string
  /** Paragraphs below the table. */
  advice?: string[]
  /** The button. */
  action?: MailLink
  smallPrint?: string
}

/** The brand of an email. */
export interface MailBrand {
  name: string
  /** The background of the button on light and on dark, as for the primary action of the console. */
  accent?: { light: string; dark: string } | undefined
  /** A part of the email, with the size at which it is shown in CSS pixels. `url` is a `cid:` or `data:` URL. */
  logo?: { url: string; width: number; height: number }
}

/** An email to one user. */
export interface Message extends MailContent {
  recipientName: string | null
  /** A second link, below the action. */
  furtherAction?: MailLink
  brand: MailBrand
  /** The address of the installation, in the footer. */
  publicUrl: string
}

/** Control characters, line breaks and changes of the text direction. */
const control = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

/** Replaces line breaks, control characters and changes of the text direction by spaces. */
export const toParagraph = (text: string): string => text.replace(control, ' ').trim()

/** Converts text to one line of at most 200 characters, for a header. */
export const toLine = (text: string): string => [...toParagraph(text)].slice(0, 200).join('').trim()

/** Invisible, and not part of a domain name. */
const wordJoiner = '\u2060'

/**
 * Returns the name of a user or an organisation so that mail programs make no link of it. Anyone can enter a name such
 * as `evil.example`, and invite someone in that name.
 */
export const toName = (name: string): string =>
  toLine(name)
    .replaceAll('://', `:${wordJoiner}//`)
    .replace(/\.(?=[\p{L}\p{N}])/gu, `.${wordJoiner}`)
