/** The width of a line on the data page of a passport. */
const pageWidth = 44

/**
 * The two lines that machines read, for a person: `P<STAGE<<LOVELACE<<ADA<<<…` and their id. What such a line cannot
 * hold becomes a filler, as on a real one.
 */
export function machineReadable(name: string, id: string, width = pageWidth): [string, string] {
  const [last = '', ...first] = lettersOf(name).split(' ').reverse()
  const lines = [
    `P<STAGE<<${last}${first.length > 0 ? `<<${first.reverse().join('<')}` : ''}`,
    lettersOf(id).replaceAll(' ', '<'),
  ]
  return lines.map((line) => line.slice(0, width).padEnd(width, '<')) as [string, string]
}

/** Letters that do not come apart into one of the alphabet and a mark (ICAO Doc 9303, part 3, section 6). */
const written: Record<string, string> = {
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

const lettersOf = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/['’ʼ]/g, '')
    .toUpperCase()
    .replace(/[^A-Z0-9 ]/g, (letter) => written[letter] ?? letter)
    .replace(/[^A-Z0-9 ]/g, ' ')
    .trim()
    .replace(/ +/g, ' ')
