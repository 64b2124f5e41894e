import type { ObjectReference } from '@passport/contract/permission-terms'
import { Waypoints } from 'lucide-react'
import { ObjectLabel, ObjectPicture } from '../permissions/ObjectName.tsx'
import { describeType, printReference } from '../permissions/reference.ts'
import { Button } from '../ui/Button.tsx'
import type { ShownRelationship } from './use-relations.ts'

interface GraphStartProps {
  rows: readonly ShownRelationship[]
  onPick: (object: ObjectReference) => void
  /** Draws the first relationships of all. */
  onShowAll: () => void
}

/** Asks for the object that a graph of many relationships begins with, and proposes some. */
export function GraphStart({ rows, onPick, onShowAll }: GraphStartProps) {
  return (
    <div className="grid justify-items-center gap-1.5 px-5 py-12 text-center">
      <span className="grid size-14 place-items-center rounded-box bg-well text-foil-text">
        <Waypoints size={26} />
      </span>
      <p className="mt-2 text-[15px] font-[620]">Start with an object</p>
      <p className="max-w-md text-ink2">Search for it above, or pick one. The graph grows from there.</p>
      <ul className="mt-4 grid w-full max-w-[720px] gap-2 text-left sm:grid-cols-2 lg:grid-cols-3">
        {proposeObjects(rows).map((object) => (
          <li key={printReference(object)}>
            <button
              type="button"
              className="flex w-full items-center gap-2.5 rounded-ctl border border-line bg-card px-3 py-2 text-left hover:border-edge hover:bg-well"
              onClick={() => onPick(object)}
            >
              <ObjectPicture object={object} size={28} />
              <span className="min-w-0 flex-1 leading-snug">
                <span className="block truncate">
                  <ObjectLabel object={object} />
                </span>
                <span className="block truncate text-[13px] text-ink3">{describeType({ type: object.type })}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      <Button isSmall variant="ghost" className="mt-3 text-ink2" onClick={onShowAll}>
        Show the first relationships of all objects
      </Button>
    </div>
  )
}

const maxProposals = 6

/** Returns objects with many relationships, from each type in turn. */
function proposeObjects(rows: readonly ShownRelationship[]): ObjectReference[] {
  const counts = new Map<string, ObjectReference & { count: number }>()
  for (const { relationship } of rows) {
    const { type, id } = relationship.resource
    const name = printReference({ type, id })
    const object = counts.get(name) ?? { type, id, count: 0 }
    counts.set(name, { ...object, count: object.count + 1 })
  }
  const byType = [...Map.groupBy(counts.values(), ({ type }) => type).values()].map((objects) =>
    objects.toSorted((a, b) => b.count - a.count),
  )
  const rounds = Array.from({ length: maxProposals }, (_, round) => byType.flatMap((objects) => objects[round] ?? []))
  return rounds
    .flat()
    .slice(0, maxProposals)
    .map(({ type, id }) => ({ type, id }))
}
