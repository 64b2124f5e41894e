import { queryClient } from '../app/query-client.ts'
import { compareLists, type Side } from './compare.ts'
import { partOf, type Section } from './LookupSection.tsx'
import type { Parts } from './lookup-search.ts'
import { printReference } from './reference.ts'
import { type Found, foundQuery, type Lookup } from './use-found.ts'

interface Reading {
  /** Is told how many more have been read. */
  onRead: (count: number) => void
  signal: AbortSignal
}

/** All that the sections find, as the rows of a table; what is not known yet is read. */
export async function readLines(
  sections: readonly Section[],
  parts: Parts | undefined,
  side: Side | undefined,
  reading: Reading,
): Promise<string[][]> {
  const lines = [['type', 'id', 'relation', 'asked', 'answer', 'needs', 'left out', ...(parts ? ['compared'] : [])]]
  for (const section of sections) {
    const left = await readAll(section.left, reading)
    const right = section.right ? await readAll(section.right, reading) : []
    const { rows } = compareLists({ items: left, isMore: false }, { items: right, isMore: false })
    for (const row of rows)
      if (!parts || side === undefined || row.side === side) lines.push(lineOf(row, section, parts))
  }
  return lines
}

/** What is in the cache, and the pages that follow it. */
async function readAll(lookup: Lookup, { onRead, signal }: Reading): Promise<Found[]> {
  const pages = [...(queryClient.getQueryData(foundQuery(lookup).queryKey)?.pages ?? [])]
  onRead(pages.reduce((sum, { items }) => sum + items.length, 0))
  for (let cursor = pages.at(-1)?.cursor; cursor !== null; cursor = pages.at(-1)?.cursor) {
    const page = await lookup.load(cursor, signal)
    signal.throwIfAborted()
    pages.push(page)
    onRead(page.items.length)
  }
  return pages.flatMap(({ items }) => items)
}

type Row = ReturnType<typeof compareLists<Found>>['rows'][number]

const lineOf = (row: Row, { title, left: { found } }: Section, parts: Parts | undefined): string[] => [
  found.type,
  row.item.id,
  found.relation ?? '',
  title,
  row.item.permissionship === 'conditional' ? 'depends' : 'allowed',
  row.item.partialCaveatMissing.join(' '),
  (row.item.excluded ?? []).map(({ id }) => printReference({ ...found, id })).join(' '),
  ...(parts ? [partOf(row, parts)] : []),
]
