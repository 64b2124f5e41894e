import { useNavigate } from '@tanstack/react-router'
import { Empty } from '../ui/Empty.tsx'
import { Select } from '../ui/Select.tsx'
import type { Side } from './compare.ts'
import { LookupCsv } from './LookupCsv.tsx'
import type { Section } from './LookupSection.tsx'
import { LookupSections } from './LookupSections.tsx'
import type { LookupFaults } from './lookup-faults.ts'
import type { Parts } from './lookup-search.ts'

interface LookupResultsProps {
  /** What was asked, in words, for those who do not see it. */
  title: string
  /** Why it cannot be asked. */
  faults: LookupFaults
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
export function LookupResults({ title, faults, fileName, sections, parts, side }: LookupResultsProps) {
  const navigate = useNavigate()
  const show = (next: string) =>
    void navigate({
      to: '.',
      search: ((old: Record<string, unknown>) => ({ ...old, side: next || undefined })) as never,
      resetScroll: false,
    })
  const told = Object.values(faults).filter((fault) => fault !== undefined)
  if (told.length > 0)
    return (
      <div className="mt-6 rounded-box border border-line bg-card">
        <Empty kind="no match" title="That cannot be asked">
          {told.join(' ')}
        </Empty>
      </div>
    )
  if (sections.length === 0)
    return (
      <div className="mt-6 rounded-box border border-line bg-card">
        <Empty kind="no match" title="Nothing can be had that way">
          The schema has neither a permission nor a relation that fits to subjects of this type.
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
        <LookupCsv fileName={fileName} sections={sections} parts={parts} side={side} />
      </div>
      <LookupSections sections={sections} parts={parts} side={side} />
    </section>
  )
}
