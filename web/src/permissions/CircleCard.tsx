import type { SubjectReference } from '@passport/contract/permission-terms'
import { Link } from '@tanstack/react-router'
import { ObjectName } from './ObjectName.tsx'
import { readReference } from './reference.ts'
import { askable, type KnownSchema } from './schema.ts'

/** Why there is no answer: by which sets the way to it goes round, each with a link to its relationships. */
export function CircleCard({ schema, circle }: { schema: KnownSchema; circle: readonly string[] }) {
  return (
    <div role="alert" className="rounded-box border border-line border-l-3 border-l-bad bg-card px-5 py-4">
      <p className="font-[620] text-bad">The way to the answer goes in a circle</p>
      <p className="mt-1 text-ink2">
        {circle.length === 1
          ? 'This set is in itself'
          : 'Each of these sets is in the one before it, and the first in the last'}
        , and nothing else decides. Break the circle at one of them, and ask again.
      </p>
      <ol className="mt-2 grid list-decimal gap-1 pl-5">
        {circle.map((set) => (
          <li key={set}>
            <SetLink schema={schema} set={set} />
          </li>
        ))}
      </ol>
    </div>
  )
}

function SetLink({ schema, set }: { schema: KnownSchema; set: string }) {
  const look = 'font-mono text-[12.5px] [overflow-wrap:anywhere]'
  const reference = readReference(set)
  if (!reference) return <code className={look}>{set}</code>
  return (
    <>
      <Link
        to="/admin/tools/relations"
        search={relationsOf(schema, reference) as never}
        className={`link inline-block py-0.5 pointer-coarse:py-2 ${look}`}
      >
        {set}
      </Link>
      <ObjectName {...reference} />
    </>
  )
}

/** A permission has no relationships of its own: those of its object are shown. */
const relationsOf = (schema: KnownSchema, { type, id, relation }: SubjectReference) => ({
  resourceType: type,
  resourceId: id,
  ...(relation && askable(schema, type).relations.includes(relation) && { relation }),
})
