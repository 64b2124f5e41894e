import { useNavigate } from '@tanstack/react-router'
import { Empty } from '../ui/Empty.tsx'
import { Select } from '../ui/Select.tsx'
import type { Side } from './compare.ts'
import { LookupCsv } from './LookupCsv.tsx'
import type { Section } from './LookupSection.tsx'
import { LookupSections } from './LookupSections.tsx'
import type { LookupFaults } from './lookup-faults.ts'
import type { PartLabels } from './lookup-search.ts'

interface LookupResultsProps {
  /** The question, for screen readers. */
  title: string
  /** The faults of the question. */
  faults: LookupFaults
  /** The name of the CSV file. */
  fileName: string
  sections: Section[]
  /** The names of a comparison's parts. */
  parts: PartLabels | undefined
  side: Side | undefined
}

const sides: Side[] = ['left', 'right', 'both']
/** Parses the search parameter of the only part to show. */
export const parseSide = (value: unknown): Side | undefined => sides.find((candidate) => candidate === value)

/** The results, one section for each question, and their CSV download. */
export function LookupResults({ title, faults, fileName, sections, parts, side }: LookupResultsProps) {
  const navigate = useNavigate()
  const show = (next: string) =>
    void navigate({
      to: '.',
      search: ((old: Record<string, unknown>) => ({ ...old, side: next || undefined })) as never,
      resetScroll: false,
    })
  const messages = Object.values(faults).filter((fault) => fault !== undefined)
  if (messages.length > 0)
    return (
      <div className="mt-6 rounded-box border border-line bg-card">
        <Empty kind="no match" title="Invalid lookup">
          {messages.join(' ')}
        </Empty>
      </div>
    )
  if (sections.length === 0)
    return (
      <div className="mt-6 rounded-box border border-line bg-card">
        <Empty kind="no match" title="No matching permissions">
          The schema has no permission or relation for subjects of this type.
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
            options={[{ value: '', label: 'All' }, ...sides.map((value) => ({ value, label: parts[value] }))]}
            onChange={({ target }) => show(target.value)}
          />
        )}
        <LookupCsv fileName={fileName} sections={sections} parts={parts} side={side} />
      </div>
      <LookupSections sections={sections} parts={parts} side={side} />
    </section>
  )
}
