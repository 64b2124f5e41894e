import type { SubjectReference } from '@passport/contract/permission-terms'
import { Link } from '@tanstack/react-router'
import { ObjectName } from './ObjectName.tsx'
import { parseReference } from './reference.ts'
import { permissionsAndRelations, type SchemaWithETag } from './schema.ts'

/** Explains an answer that fails because of a cycle: its sets, each with a link to its relationships. */
export function CycleCard({ schema, cycle }: { schema: SchemaWithETag; cycle: readonly string[] }) {
  return (
    <div role="alert" className="rounded-box border border-line border-l-3 border-l-bad bg-card px-5 py-4">
      <p className="font-[620] text-bad">The permission is recursive and cannot be resolved (cycle)</p>
      <p className="mt-1 text-ink2">
        {cycle.length === 1
          ? 'This userset contains itself'
          : 'Each of these usersets contains the next, and the last contains the first'}
        . Delete a relationship that closes the cycle, then check again.
      </p>
      <ol className="mt-2 grid list-decimal gap-1 pl-5">
        {cycle.map((userset) => (
          <li key={userset}>
            <UsersetLink schema={schema} userset={userset} />
          </li>
        ))}
      </ol>
    </div>
  )
}

function UsersetLink({ schema, userset }: { schema: SchemaWithETag; userset: string }) {
  const className = 'font-mono text-[12.5px] [overflow-wrap:anywhere]'
  const reference = parseReference(userset)
  if (!reference) return <code className={className}>{userset}</code>
  return (
    <>
      <Link
        to="/admin/tools/relations"
        search={toRelationFilter(schema, reference) as never}
        className={`link inline-block py-0.5 pointer-coarse:py-2 ${className}`}
      >
        {userset}
      </Link>
      <ObjectName {...reference} />
    </>
  )
}

/** A permission has no relationships of its own: those of its object are shown. */
const toRelationFilter = (schema: SchemaWithETag, { type, id, relation }: SubjectReference) => ({
  resourceType: type,
  resourceId: id,
  ...(relation && permissionsAndRelations(schema, type).relations.includes(relation) && { relation }),
})
