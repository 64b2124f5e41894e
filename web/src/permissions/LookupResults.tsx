import { useNavigate } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Select } from '../ui/Select.tsx'
import { compareLists, type Side } from './compare.ts'
import { saveCsv } from './csv.ts'
import { LookupSection, partOf, type Section } from './LookupSection.tsx'
import type { Parts } from './lookup-search.ts'
import { printReference } from './reference.ts'
import { type Found, foundQuery, type Lookup } from './use-found.ts'

interface LookupResultsProps {
  /** What was asked, in words, for those who do not see it. */
  title: string
  /** Of the file that can be saved. */
  fileName: string
  sections: Section[]
  /** What the parts of a comparison are called. */
  parts: Parts | undefined
  side: Side | undefined
}

const sidesToShow: Side[] = ['left', 'right', 'both']
/** What an address says of the side that is shown alone. */
export const sideIn = (value: unknown): Side | undefined => sidesToShow.find((one) => one === value)

/** What was found, one part for each thing that was asked, and what of it can be taken along. */
export function LookupResults({ title, fileName, sections, parts, side }: LookupResultsProps) {
  const navigate = useNavigate()
  const show = (next: string) =>
    void navigate({
      to: '.',
      search: ((old: Record<string, unknown>) => ({ ...old, side: next || undefined })) as never,
      resetScroll: false,
    })
  if (sections.length === 0)
    return (
      <div className="mt-6 rounded-box border border-line bg-card">
        <Empty kind="no match" title="Nothing can be had that way">
          The schema gives no permission that fits to subjects of this type.
        </Empty>
      </div>
    )
  return (
    <section aria-label={title} className="mt-6">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <h2 className="mr-auto min-w-0 [overflow-wrap:anywhere]">{title}</h2>
        {parts && (
          <Select
            label="Show"
            isLabelHidden
            className="h-8! w-auto! text-[13px]"
            value={side ?? ''}
            options={[
              { value: '', label: 'All of it' },
              ...sidesToShow.map((value) => ({ value, label: parts[value] })),
            ]}
            onChange={({ target }) => show(target.value)}
          />
        )}
        <Button isSmall onClick={() => saveCsv(fileName, linesOf(sections, parts, side))}>
          <Download size={15} />
          CSV of what is shown
        </Button>
      </div>
      <div className="grid gap-4">
        {sections.map((section) => (
          <LookupSection key={section.title} {...section} parts={parts} side={side} />
        ))}
      </div>
    </section>
  )
}

/** What is in the cache of every section, as the rows of a table. */
function linesOf(sections: Section[], parts: Parts | undefined, side: Side | undefined) {
  const head = ['type', 'id', 'relation', 'asked', 'answer', 'needs', 'left out', ...(parts ? ['compared'] : [])]
  const lines = sections.flatMap(({ title, left, right }) =>
    compareLists(known(left), known(right))
      .rows.filter((row) => !parts || side === undefined || row.side === side)
      .map(({ item, ...row }) => [
        left.found.type,
        item.id,
        left.found.relation ?? '',
        title,
        item.permissionship === 'conditional' ? 'depends' : 'allowed',
        item.partialCaveatMissing.join(' '),
        (item.excluded ?? []).map(({ id }) => printReference({ ...left.found, id })).join(' '),
        ...(parts ? [partOf({ item, ...row }, parts)] : []),
      ]),
  )
  return [head, ...lines]
}

function known(lookup: Lookup | undefined): { items: Found[]; isMore: boolean } {
  const pages = lookup ? (queryClient.getQueryData(foundQuery(lookup).queryKey)?.pages ?? []) : []
  return { items: pages.flatMap(({ items }) => items), isMore: (pages.at(-1)?.cursor ?? null) !== null }
}
