/** The line width of a passport's data page. */
const pageWidth = 44

/**
 * Returns the two machine-readable lines for a person: `P<STAGE<<LOVELACE<<ADA<<<…` and the id. Unsupported characters
 * become fillers, as on a real passport.
 */
export function formatMachineReadableLines(name: string, id: string, width = pageWidth): [string, string] {
  const [last = '', ...first] = transliterate(name).split(' ').reverse()
  const lines = [
    `P<STAGE<<${last}${first.length > 0 ? `<<${first.reverse().join('<')}` : ''}`,
    transliterate(id).replaceAll(' ', '<'),
  ]
  return lines.map((line) => line.slice(0, width).padEnd(width, '<')) as [string, string]
}

/** Letters that do not decompose into a base letter and a mark (ICAO Doc 9303, part 3, section 6). */
const transliterations: Record<string, string> = {
  Æ: 'AE',
  Ð: 'D',
  Ø: 'OE',
  Þ: 'TH',
  ẞ: 'SS',
  Đ: 'D',
  Ħ: 'H',
  Ł: 'L',
  Œ: 'OE',
  Ŧ: 'T',
}

const transliterate = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/['’ʼ]/g, '')
    .toUpperCase()
    .replace(/[^A-Z0-9 ]/g, (letter) => transliterations[letter] ?? letter)
    .replace(/[^A-Z0-9 ]/g, ' ')
    .trim()
    .replace(/ +/g, ' ')
