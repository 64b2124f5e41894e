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

const lettersOf = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/[^A-Z0-9 ]/g, ' ')
    .trim()
    .replace(/ +/g, ' ')
