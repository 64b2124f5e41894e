import { useCallback, useState } from 'react'
import { Empty } from '../ui/Empty.tsx'
import type { Side } from './compare.ts'
import { LookupSection, type Section } from './LookupSection.tsx'
import type { PartLabels } from './lookup-search.ts'

interface LookupSectionsProps {
  sections: readonly Section[]
  /** The names of a comparison's parts. */
  parts: PartLabels | undefined
  /** The only part to show, in a comparison. */
  side: Side | undefined
}

/** The results of several lookups; those without any are named in one line at the end. */
export function LookupSections({ sections, parts, side }: LookupSectionsProps) {
  const [empty, setEmpty] = useState<ReadonlySet<string>>(new Set())
  const onEmpty = useCallback(
    (title: string, isEmpty: boolean) =>
      setEmpty((previous) => {
        if (previous.has(title) === isEmpty) return previous
        const otherTitles = [...previous].filter((emptyTitle) => emptyTitle !== title)
        return new Set(isEmpty ? [...otherTitles, title] : otherTitles)
      }),
    [],
  )
  const emptyTitles = sections.map(({ title }) => title).filter((title) => empty.has(title))
  const emptyNote = emptyTitles.length > 0 && (
    <p className="text-ink2">
      No results for: <span className="font-mono text-[12.5px] [overflow-wrap:anywhere]">{emptyTitles.join(', ')}</span>
    </p>
  )
  return (
    <div className="grid gap-4">
      {sections.map((section) => (
        <LookupSection
          key={JSON.stringify([section.title, section.left.key])}
          {...section}
          parts={parts}
          side={side}
          onEmpty={onEmpty}
        />
      ))}
      {emptyNote &&
        (emptyTitles.length < sections.length ? (
          <div className="px-5">{emptyNote}</div>
        ) : (
          <div className="rounded-box border border-line bg-card">
            <Empty kind="no match" title="No results">
              {emptyNote}
            </Empty>
          </div>
        ))}
    </div>
  )
}
