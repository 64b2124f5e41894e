import { readFileSync } from 'node:fs'
import { guides } from '@passport/contract/guides'

/** A guide that contains every word of a search. */
export interface FoundGuide {
  name: string
  title: string
  /** The first line of the text with a word of the search, without Markdown; the summary if only the title matches. */
  excerpt: string
}

const maxExcerpt = 160

/** Returns the text of a guide in Markdown. */
export const readGuide = (name: string): string =>
  readFileSync(new URL(`../../../docs/guide/${name}.md`, import.meta.url), 'utf8')

/** Returns the guides that contain every word of a query, those with all words in their titles first. */
export function searchGuides(query: string): FoundGuide[] {
  const words = toWords(query)
  if (words.length === 0) return []
  texts ??= new Map(guides.map(({ name }) => [name, fold(readGuide(name))]))
  const isNamed = new Set<string>()
  const found = guides.filter(({ name, title, summary, words: terms }) => {
    const heading = fold(`${title} ${summary} ${terms}`)
    if (words.every((word) => heading.includes(word))) isNamed.add(name)
    return words.every((word) => heading.includes(word) || texts?.get(name)?.includes(word))
  })
  return found
    .toSorted((a, b) => Number(isNamed.has(b.name)) - Number(isNamed.has(a.name)))
    .map(({ name, title, summary }) => ({ name, title, excerpt: findExcerpt(readGuide(name), words) ?? summary }))
}

/** The folded texts by name, since anyone may search. */
let texts: Map<string, string> | undefined

const fold = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
const toWords = (query: string) => fold(query).split(/\s+/).filter(Boolean)

function findExcerpt(text: string, words: readonly string[]): string | undefined {
  const lines = text
    .replaceAll(/```[\s\S]*?```/g, '')
    .split(/\n{2,}|\n(?=[-|#\d])/)
    .map(toPlain)
    .filter((line) => line !== '')
  const score = (line: string) => words.filter((word) => fold(line).includes(word)).length
  const best = lines.slice(1).toSorted((a, b) => score(b) - score(a))[0]
  if (best === undefined || score(best) === 0) return
  return best.length > maxExcerpt ? cutAround(best, words) : best
}

/** Returns a part of a line, at the borders of words, that begins shortly before the first match. */
function cutAround(line: string, words: readonly string[]): string {
  const at = Math.min(...words.map((word) => fold(line).indexOf(word)).filter((index) => index >= 0))
  const start = at < maxExcerpt / 2 ? 0 : line.indexOf(' ', at - maxExcerpt / 3) + 1
  const end = line.lastIndexOf(' ', start + maxExcerpt)
  return `${start > 0 ? '… ' : ''}${line.slice(start, end > start ? end : start + maxExcerpt)} …`
}

/** Removes the Markdown of a line. */
const toPlain = (line: string) =>
  line
    .replace(/^[#\-|\d.\s]+/, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|`|\|/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
