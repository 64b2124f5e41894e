import { createContext, use } from 'react'

/** The search of the list around a row. */
export const SearchText = createContext('')

/** A text of a row, with the words of the search marked where words begin. */
export function Highlight({ text }: { text: string }) {
  const words = use(SearchText)
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  if (words.length === 0) return text
  const parts = text.split(new RegExp(`(?<![^\\s.@_-])(${words.join('|')})`, 'i'))
  // Matches have odd positions.
  return parts.map((part, index) => (index % 2 ? <mark key={index}>{part}</mark> : part))
}
