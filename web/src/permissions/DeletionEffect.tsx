import { ApiError } from '@passport/contract/call'
import type { RelationshipFilter, RelationshipKey } from '@passport/contract/permission-terms'
import { type Loss, type LossInTotal, previewDeletion } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { failureOf, query } from '../app/api.ts'
import { ObjectName } from './ObjectName.tsx'
import { printReference } from './reference.ts'

type Verb = 'lose' | 'gain'

/** Who would lose what, and gain what, if these were deleted; of a list as a whole first. */
export function DeletionEffect({ of }: { of: { filter: RelationshipFilter } | { relationships: RelationshipKey[] } }) {
  const { data, error } = useQuery({
    ...query(previewDeletion, { body: of }),
    // What was true a moment ago is no ground to delete on.
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  if (error instanceof ApiError && error.status === 501)
    return <p className="mt-3">This engine cannot tell beforehand what it would change.</p>
  if (error) return <p className="mt-3 text-bad">What it would change is not known: {failureOf(error).detail}</p>
  if (!data) return <p className="mt-3">Working out who would lose what …</p>
  const { losses, gains, lossesInTotal, gainsInTotal, isComplete } = data
  const isQuiet = losses.length + gains.length === 0
  const each = (
    <>
      <Effects all={losses} verb="lose" />
      <Effects all={gains} verb="gain" />
    </>
  )
  return (
    <div role="status" className="mt-3 grid gap-2">
      {isQuiet && isComplete && <p>Nobody loses or gains anything by it.</p>}
      {'filter' in of ? (
        each
      ) : (
        <>
          <Totals all={lossesInTotal} verb="lose" />
          <Totals all={gainsInTotal} verb="gain" />
          {!isQuiet && (
            <details>
              <summary className="w-fit cursor-pointer py-1 hover:text-ink">One by one</summary>
              <div className="mt-1 grid gap-2">{each}</div>
            </details>
          )}
        </>
      )}
      {!isComplete && <p className="text-warn">So much would change that not all of it was worked out.</p>}
    </div>
  )
}

function Totals({ all, verb }: { all: LossInTotal[]; verb: Verb }) {
  if (all.length === 0) return null
  return (
    <ul className="grid gap-1 text-ink">
      {all.map(({ resourceType, permission, subjectType, subjects, resources }) => (
        <li key={`${resourceType} ${permission} ${subjectType}`}>
          {whoDo(subjects, verb)} {permission} on {resources.toLocaleString('en')} of type {resourceType}
        </li>
      ))}
    </ul>
  )
}

function Effects({ all, verb }: { all: Loss[]; verb: Verb }) {
  if (all.length === 0) return null
  return (
    <ul className="grid gap-1.5">
      {all.map(({ resource, permission, subjectType, count, sample }) => (
        <li key={`${printReference(resource)} ${permission} ${subjectType}`}>
          <span className="text-ink">
            {whoDo(count, verb)} {permission} on {printReference(resource)}
          </span>
          <span className="block font-mono text-[12px] [overflow-wrap:anywhere]">
            {sample.map((id, at) => (
              <span key={id}>
                {at > 0 && ', '}
                {`${subjectType}:${id}`}
                <ObjectName type={subjectType} id={id} />
              </span>
            ))}
            {count > sample.length && ' …'}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** “7 subjects lose”; more than a thousand are not counted. */
const whoDo = (count: number, verb: Verb) =>
  count === 1 ? `1 subject ${verb}s` : `${count.toLocaleString('en')}${count >= 1000 ? '+' : ''} subjects ${verb}`
