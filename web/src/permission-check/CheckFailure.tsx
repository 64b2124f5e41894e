import { ApiError } from '@passport/contract/call'
import type { SubjectReference } from '@passport/contract/permission-terms'
import { Link } from '@tanstack/react-router'
import { toFailure } from '../app/api.ts'
import type { CheckQuestion, Context } from '../permissions/check-search.ts'
import { ObjectName } from '../permissions/ObjectName.tsx'
import { parseReference } from '../permissions/reference.ts'
import { listPermissionsAndRelations, type SchemaWithETag } from '../permissions/schema.ts'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { MissingValues } from './MissingValues.tsx'

interface CheckFailureProps {
  schema: SchemaWithETag
  question: CheckQuestion
  error: Error
  onTry: (context: Context) => void
  onRetry: () => void
}

/** The error of a check. Invalid context values get a form to correct them, a cycle gets links to its usersets. */
export function CheckFailure({ schema, question, error, onTry, onRetry }: CheckFailureProps) {
  const valueErrors = toValueErrors(error)
  if (Object.keys(valueErrors).length > 0)
    return (
      <MissingValues
        key={JSON.stringify([valueErrors, question.context])}
        schema={schema}
        question={question}
        names={Object.keys(valueErrors)}
        valueErrors={valueErrors}
        onTry={onTry}
      />
    )
  const cycle = findCycle(error)
  if (cycle.length > 0) return <CycleCard schema={schema} cycle={cycle} />
  return <ErrorCard failure={toFailure(error)} {...(!isPermanent(error) && { onRetry })} />
}

const listFieldErrors = (error: Error | undefined) => (error instanceof ApiError ? (error.problem?.errors ?? []) : [])

const findCycle = (error: Error): readonly string[] =>
  listFieldErrors(error).find(({ circle }) => circle !== undefined)?.circle ?? []

/** Reports whether a retry would fail again: the question is invalid, or the stored data must change. */
const isPermanent = (error: Error) => error instanceof ApiError && [400, 409, 410, 501].includes(error.status)

/** Lists the usersets of a cycle, each with a link to its relationships. */
function CycleCard({ schema, cycle }: { schema: SchemaWithETag; cycle: readonly string[] }) {
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

/** Returns the Relation Viewer's filter for a userset; of a permission, the relationships of its object. */
const toRelationFilter = (schema: SchemaWithETag, { type, id, relation }: SubjectReference) => ({
  resourceType: type,
  resourceId: id,
  ...(relation && listPermissionsAndRelations(schema, type).relations.includes(relation) && { relation }),
})

type Part = 'subject' | 'permission' | 'resource' | 'context' | 'consistency'
const parts: readonly Part[] = ['subject', 'permission', 'resource', 'context', 'consistency']

/** Returns the service's first error for each part of the question. */
export function toFieldErrors(error: Error | undefined): Partial<Record<Part, string>> {
  const errors = listFieldErrors(error)
  return Object.fromEntries(
    parts.flatMap((part) => {
      const fieldError = errors.find(({ field }) => field === part || field.startsWith(`${part}.`))
      return fieldError ? [[part, fieldError.message]] : []
    }),
  )
}

/** Returns the service's errors for context values, by the caveat's parameter. */
function toValueErrors(error: Error): Record<string, string> {
  return Object.fromEntries(
    listFieldErrors(error).flatMap(({ field, message }) =>
      field.startsWith('context.') ? [[field.slice(8), message]] : [],
    ),
  )
}
