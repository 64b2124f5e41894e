import { readFileSync } from 'node:fs'
import { guides } from '@passport/contract/guides'

/** A guide that contains every word of a search. */
export interface FoundGuide {
  name: string
  title: string
  /** The line of the text with the most words of the search, without Markdown; the summary if only the title matches. */
  excerpt: string
}

export interface SearchResult {
  found: FoundGuide[]
  /** Whether words of the query were left out. */
  isShortened: boolean
}

/** Returns the guides that contain every word of a query, those with all words in their titles first. */
export type SearchGuides = (query: string) => SearchResult

const maxExcerpt = 160
/** The work of a search grows with its words, and anyone may search. */
export const maxWords = 8
/** Nearly every line has each letter. */
const minWordLength = 2

/** Returns the text of a guide in Markdown. */
export const readGuide = (name: string): string =>
  readFileSync(new URL(`../../../docs/guide/${name}.md`, import.meta.url), 'utf8')

interface PreparedGuide {
  name: string
  title: string
  summary: string
  /** The title, the summary and the search terms, folded. */
  heading: string
  /** The whole text, folded. */
  text: string
  lines: { plain: string; folded: string }[]
}

/** Creates the search. The texts are folded once, because that takes much longer than a search in them. */
export function createGuideSearch(): SearchGuides {
  const prepared = guides.map(({ name, title, summary, words }): PreparedGuide => {
    const source = readGuide(name)
    const heading = fold(`${title} ${summary} ${words}`)
    return { name, title, summary, heading, text: fold(source), lines: toLines(source) }
  })
  return (query) => {
    const entered = fold(query).split(/\s+/).filter(Boolean)
    const words = [...new Set(entered)].filter((word) => [...word].length >= minWordLength).slice(0, maxWords)
    const isShortened = words.length < new Set(entered).size
    if (words.length === 0) return { found: [], isShortened }
    const isNamed = ({ heading }: PreparedGuide) => words.every((word) => heading.includes(word))
    const found = prepared.filter(({ heading, text }) =>
      words.every((word) => heading.includes(word) || text.includes(word)),
    )
    return {
      found: [...found.filter(isNamed), ...found.filter((guide) => !isNamed(guide))].map(
        ({ name, title, summary, lines }) => ({ name, title, excerpt: findExcerpt(lines, words) ?? summary }),
      ),
      isShortened,
    }
  }
}

const fold = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** Returns the lines of a text after its title, without code blocks. */
function toLines(source: string): PreparedGuide['lines'] {
  const lines = source
    .replaceAll(/```[\s\S]*?```/g, '')
    .split(/\n{2,}|\n(?=[-|#\d])/)
    .map(toPlain)
    .filter((line) => line !== '')
  return lines.slice(1).map((plain) => ({ plain, folded: fold(plain) }))
}

function findExcerpt(lines: PreparedGuide['lines'], words: readonly string[]): string | undefined {
  let best: PreparedGuide['lines'][number] | undefined
  let bestScore = 0
  for (const line of lines) {
    let score = 0
    for (const word of words) if (line.folded.includes(word)) score++
    if (score > bestScore) [best, bestScore] = [line, score]
    if (bestScore === words.length) break
  }
  if (best === undefined) return
  return best.plain.length > maxExcerpt ? cutAround(best, words) : best.plain
}

/** Returns a part of a line, at the borders of words, that begins shortly before the first match. */
function cutAround({ plain, folded }: PreparedGuide['lines'][number], words: readonly string[]): string {
  const at = Math.min(...words.map((word) => folded.indexOf(word)).filter((index) => index >= 0))
  const start = at < maxExcerpt / 2 ? 0 : plain.indexOf(' ', at - maxExcerpt / 3) + 1
  const end = plain.lastIndexOf(' ', start + maxExcerpt)
  return `${start > 0 ? '… ' : ''}${plain.slice(start, end > start ? end : start + maxExcerpt)} …`
}

/** Removes the Markdown of a line. */
const toPlain = (line: string) =>
  line
    .replace(/^[#\-|\d.\s]+/, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|`|\|/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
