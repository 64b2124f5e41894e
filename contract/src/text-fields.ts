import * as z from 'zod/mini'
import type { FieldCode } from './field-codes.ts'
import { removeInvisible } from './invisible.ts'

/**
 * The maximum UTF-16 code units per grapheme: enough for the longest emoji, too few for a letter with a hundred
 * accents.
 */
const unitsPerGrapheme = 16
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Characters that break a line or change the direction of the surrounding text (UAX #9, explicit formatting). */
const forbidden = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
/** Visible characters; a line needs at least one. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

/** Returns the error of a trimmed line of text, as a sentence; undefined for a valid line. */
export function findLineError(text: string, maxGraphemes: number): string | undefined {
  const tooLong = `Must have at most ${maxGraphemes} characters.`
  if (text.length > maxGraphemes * unitsPerGrapheme) return tooLong
  if (forbidden.test(text)) return 'Must not contain control characters or text direction marks.'
  if (text.includes('\ufffd')) return 'Must not contain �, which stands for a lost character.'
  if (removeInvisible(text) !== text) return 'Must not contain invisible characters.'
  if (!visible.test(text)) return 'Must not be empty.'
  const isLong = text.length > maxGraphemes && [...graphemes.segment(text)].length > maxGraphemes
  return isLong ? tooLong : undefined
}

/**
 * Returns the line that is displayed for a text of another system, such as a name: without control and invisible characters,
 * and shortened to `maxGraphemes`. Returns undefined if nothing visible is left.
 */
export function fitLine(text: string, maxGraphemes: number): string | undefined {
  const maxUnits = maxGraphemes * unitsPerGrapheme
  const clean = text
    .slice(0, 2 * maxUnits)
    .toWellFormed()
    .replace(new RegExp(forbidden, 'gu'), ' ')
  const line = removeInvisible(clean.normalize('NFC')).trim()
  if (findLineError(line, maxGraphemes) === undefined) return line
  let [shortened, count] = ['', 1]
  for (const { segment } of graphemes.segment(line)) {
    if (++count > maxGraphemes || shortened.length + segment.length >= maxUnits) break
    shortened += segment
  }
  // The end may need a neighbour that was cut off.
  const fitted = `${removeInvisible(shortened).trimEnd()}…`
  return visible.test(shortened) && findLineError(fitted, maxGraphemes) === undefined ? fitted : undefined
}

/** Normalises a text to NFC and trims it. Returns overlong text unchanged, because sorting its marks is quadratic. */
export function normaliseLine(text: string, maxGraphemes: number): string {
  return text.length > maxGraphemes * unitsPerGrapheme ? text : text.normalize('NFC').trim()
}

/** A line of text to display, such as a name: trimmed, NFC, visible, at most `maxGraphemes` graphemes. */
export function Line(maxGraphemes: number, code: FieldCode) {
  return z.string().check(
    z.overwrite((text) => normaliseLine(text, maxGraphemes)),
    z.refine((text) => findLineError(text, maxGraphemes) === undefined, {
      error: ({ input }) => findLineError(String(input), maxGraphemes),
      params: { code },
    }),
  )
}

/** Like `Line`, but the text may be empty. */
export function OptionalLine(maxGraphemes: number, code: FieldCode) {
  const findError = (text: string) => (text === '' ? undefined : findLineError(text, maxGraphemes))
  return z.string().check(
    z.overwrite((text) => normaliseLine(text, maxGraphemes)),
    z.refine((text) => findError(text) === undefined, {
      error: ({ input }) => findError(String(input)),
      params: { code },
    }),
  )
}
