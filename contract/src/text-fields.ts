import * as z from 'zod/mini'

/** Room for the longest emoji of one grapheme, and an end to letters with a hundred accents. */
const unitsPerGrapheme = 16
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** What breaks a line, or turns the direction of whatever is shown beside it (UAX #9, explicit formatting). */
const unfit = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
/** Something to see. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

/** What is wrong with a line of text for people, already trimmed, as a sentence; undefined where it is fine. */
export function lineFault(text: string, maxGraphemes: number): string | undefined {
  if (unfit.test(text)) return 'Must have no control characters and no marks that change the direction of text.'
  if (!visible.test(text)) return 'Must not be empty.'
  const isLong = text.length > maxGraphemes * unitsPerGrapheme || [...graphemes.segment(text)].length > maxGraphemes
  return isLong ? `Must have at most ${maxGraphemes} characters.` : undefined
}

/** A line of text for people, such as a name: trimmed, NFC, something to see, at most so many graphemes as people count them. */
export function Line(maxGraphemes: number, code = 'text-invalid') {
  return z.string().check(
    z.overwrite((text) => text.normalize('NFC').trim()),
    z.refine((text) => lineFault(text, maxGraphemes) === undefined, {
      error: ({ input }) => lineFault(String(input), maxGraphemes),
      params: { code },
    }),
  )
}
