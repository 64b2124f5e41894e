/** Letters and marks of scripts in which a joiner changes the shape of its neighbours. */
const joining =
  '[\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Mand}\\p{scx=Nkoo}\\p{scx=Adlm}\\p{scx=Mong}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}' +
  '\\p{scx=Gujr}\\p{scx=Orya}\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}\\p{scx=Khmr}\\p{scx=Mymr}' +
  '\\p{scx=Tibt}\\p{scx=Newa}]'
/** Signs that end a consonant; a joiner after the last one of a word shows the letter's half form. */
const virama = '[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca]'

/** The invisible characters that a script or an emoji needs, by their neighbours (RFC 5892, appendix A; UTS #51). */
const needed = [
  `(?<=${joining})[\\u200c\\u200d](?=${joining})`,
  `(?<=${virama})\\u200d`,
  '(?<=\\p{sc=Mong})[\\u180b-\\u180f]',
  '(?<=\\p{sc=Han})[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]',
  // Emoji: text or picture presentation, keycaps, joined sequences.
  '(?<=\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]',
  '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})',
  // The flags of England, Scotland and Wales.
  '\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}',
].join('|')

/** Format characters, fillers and variation selectors (UAX #44), by which names that look equal can differ. */
const invisible = new RegExp(`(${needed})|[\\p{Cf}\\p{Default_Ignorable_Code_Point}]`, 'gu')

/** Removes invisible characters, except those that a script or an emoji needs. */
export const removeInvisible = (text: string): string => text.replace(invisible, '$1')
