/** The least number of characters that a password has besides the words that everyone knows of its user. */
const minOwn = 8
/** Shorter words occur in any password. */
const minWord = 4

/** Keys in a row, and the alphabet; each also backwards, and from its end to its start. */
const rows = [
  '1234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertyuiopasdfghjklzxcvbnm',
]

const fold = (text: string) => text.normalize('NFKC').toLowerCase()

/**
 * Returns why a password is among the first that anyone tries: a repetition, a sequence, or little more than a word that
 * is known of its user (NIST SP 800-63B-4, section 3.1.1.2); undefined for any other.
 */
export function findWeakness(password: string, knownWords: string[]): string | undefined {
  const folded = fold(password).replaceAll(/\s+/g, '')
  if (isRepetition(folded)) return 'Must not repeat a few characters.'
  if (isSequence(folded)) return 'Must not be a sequence of letters or digits.'
  const words = knownWords.flatMap((word) => [
    fold(word).replaceAll(/\s+/g, ''),
    ...fold(word).split(/[^\p{L}\p{N}]+/u),
  ])
  const longestFirst = words.filter((word) => word.length >= minWord).sort((a, b) => b.length - a.length)
  const own = longestFirst.reduce((rest, word) => rest.replaceAll(word, ''), folded)
  if (own !== folded && [...own].length < minOwn)
    return 'Must not consist of your name, your email address or the name of this service.'
  return undefined
}

/** Reports whether a text repeats a part of at most a third of its length; the last repetition may be cut off. */
function isRepetition(text: string): boolean {
  for (let length = 1; length <= text.length / 3; length++)
    if (text.slice(length) === text.slice(0, -length)) return true
  return false
}

const isSequence = (text: string): boolean =>
  [text, [...text].reverse().join('')].some((direction) =>
    rows.some((row) => row.repeat(Math.ceil(direction.length / row.length) + 1).includes(direction)),
  )
