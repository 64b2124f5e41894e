import { randomInt } from 'node:crypto'

const syllables =
  'ba be bi bo bu da de di do du fa fe fi fo ga ge gi go ka ke ki ko la le li lo lu ma me mi mo mu na ne ni no nu pa pe pi po ra re ri ro sa se si so ta te ti to va ve vi vo'.split(
    ' ',
  )

/** Generates a password that is easy to read and type, with about 68 bits: `tiko-rabe-luso-mipa`. */
export function generatePassword(): string {
  const word = () => Array.from({ length: 3 }, () => syllables[randomInt(syllables.length)]).join('')
  return Array.from({ length: 4 }, word).join('-')
}
