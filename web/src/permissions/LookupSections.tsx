import { useCallback, useState } from 'react'
import { Empty } from '../ui/Empty.tsx'
import type { Side } from './compare.ts'
import { LookupSection, type Section } from './LookupSection.tsx'
import type { Parts } from './lookup-search.ts'

interface LookupSectionsProps {
  sections: readonly Section[]
  /** What the parts of a comparison are called. */
  parts: Parts | undefined
  /** Shown alone, where two are compared. */
  side: Side | undefined
}

/** What several lookups found; those that found nothing are named in one line at the end. */
export function LookupSections({ sections, parts, side }: LookupSectionsProps) {
  const [empty, setEmpty] = useState<ReadonlySet<string>>(new Set())
  const onEmpty = useCallback(
    (title: string, isEmpty: boolean) =>
      setEmpty((before) => {
        if (before.has(title) === isEmpty) return before
        const others = [...before].filter((one) => one !== title)
        return new Set(isEmpty ? [...others, title] : others)
      }),
    [],
  )
  const named = sections.map(({ title }) => title).filter((title) => empty.has(title))
  const nothing = named.length > 0 && (
    <p className="text-ink2">
      Nothing of: <span className="font-mono text-[12.5px] [overflow-wrap:anywhere]">{named.join(', ')}</span>
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
      {nothing &&
        (named.length < sections.length ? (
          <div className="px-5">{nothing}</div>
        ) : (
          <div className="rounded-box border border-line bg-card">
            <Empty kind="no match" title="Nothing is found">
              {nothing}
            </Empty>
          </div>
        ))}
    </div>
  )
}
