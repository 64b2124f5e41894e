import { queryClient } from '../app/query-client.ts'
import { printReference } from '../permissions/reference.ts'
import { compareLists, type Side } from './compare.ts'
import { findPartLabel, type Section } from './LookupSection.tsx'
import type { PartLabels } from './lookup-search.ts'
import { type Lookup, type LookupItem, lookupQuery } from './use-lookup-items.ts'

interface ReadOptions {
  /** Called with the number of further rows read. */
  onRead: (count: number) => void
  signal: AbortSignal
}

/** Returns all results of the sections as table rows, after reading the remaining pages. */
export async function loadCsvLines(
  sections: readonly Section[],
  parts: PartLabels | undefined,
  side: Side | undefined,
  options: ReadOptions,
): Promise<string[][]> {
  const lines = [
    ['type', 'id', 'relation', 'permission', 'answer', 'missing context', 'excluded', ...(parts ? ['comparison'] : [])],
  ]
  for (const section of sections) {
    const left = await loadAllPages(section.left, options)
    const right = section.right ? await loadAllPages(section.right, options) : []
    const { rows } = compareLists({ items: left, hasMore: false }, { items: right, hasMore: false })
    for (const row of rows)
      if (!parts || side === undefined || row.side === side) lines.push(toCsvLine(row, section, parts))
  }
  return lines
}

/** Returns the cached pages and reads the following ones. */
async function loadAllPages(lookup: Lookup, { onRead, signal }: ReadOptions): Promise<LookupItem[]> {
  const pages = [...(queryClient.getQueryData(lookupQuery(lookup).queryKey)?.pages ?? [])]
  onRead(pages.reduce((sum, { items }) => sum + items.length, 0))
  for (let cursor = pages.at(-1)?.cursor; cursor !== null; cursor = pages.at(-1)?.cursor) {
    const page = await lookup.load(cursor, signal)
    signal.throwIfAborted()
    pages.push(page)
    onRead(page.items.length)
  }
  return pages.flatMap(({ items }) => items)
}

type Row = ReturnType<typeof compareLists<LookupItem>>['rows'][number]

const toCsvLine = (row: Row, { title, left: { resultType } }: Section, parts: PartLabels | undefined): string[] => [
  resultType.type,
  row.item.id,
  resultType.relation ?? '',
  title,
  row.item.permissionship === 'conditional' ? 'depends' : 'allowed',
  row.item.partialCaveatMissing.join(' '),
  (row.item.excluded ?? []).map(({ id }) => printReference({ ...resultType, id })).join(' '),
  ...(parts ? [findPartLabel(row, parts)] : []),
]
