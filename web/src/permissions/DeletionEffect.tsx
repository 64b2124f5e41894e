import { ApiError } from '@passport/contract/call'
import type { RelationshipFilter, RelationshipKey } from '@passport/contract/permission-terms'
import { type Loss, type LossInTotal, previewDeletion } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { failureOf, query } from '../app/api.ts'
import { ObjectName } from './ObjectName.tsx'
import { printReference } from './reference.ts'

type Verb = 'lose' | 'gain'
type Deleted = { filter: RelationshipFilter } | { relationships: RelationshipKey[] }

/** Asks what deleting these would change; of nothing, nothing is asked. */
export const useDeletionEffect = (of: Deleted | undefined) =>
  useQuery({
    ...query(previewDeletion, { body: of ?? {} }),
    enabled: of !== undefined,
    // What was true a moment ago is no ground to delete on.
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
type Effect = ReturnType<typeof useDeletionEffect>

/** What the button of a deletion says, and whether it can be pressed: only who knows the effect, or that it is not known, deletes. */
export const deletionIn = ({ isPending, isError }: Effect) => ({
  action: isError ? 'Delete all the same' : 'Delete',
  isReady: !isPending,
})

/** Who would lose what, and gain what; of a list as a whole first. */
export function DeletionEffect({ effect: { data, error }, isOfList }: { effect: Effect; isOfList: boolean }) {
  if (error instanceof ApiError && error.status === 501)
    return <p className="mt-3">This engine cannot tell beforehand what it would change.</p>
  if (error)
    return (
      <p role="alert" className="mt-3 text-bad">
        What it would change is not known: {failureOf(error).detail}
      </p>
    )
  if (!data) return <p className="mt-3">Working out who would lose what …</p>
  const { losses, gains, lossesInTotal, gainsInTotal, isComplete } = data
  const isQuiet = losses.length + gains.length === 0
  const each = (
    <>
      <Effects all={losses} verb="lose" isComplete={isComplete} />
      <Effects all={gains} verb="gain" isComplete={isComplete} />
    </>
  )
  return (
    <div role="status" className="mt-3 grid gap-2">
      {isQuiet && isComplete && <p>Nobody loses or gains anything by it.</p>}
      {isOfList ? (
        <>
          <Totals all={lossesInTotal} verb="lose" isComplete={isComplete} />
          <Totals all={gainsInTotal} verb="gain" isComplete={isComplete} />
          {!isQuiet && (
            <details>
              <summary className="w-fit cursor-pointer py-1 hover:text-ink">One by one</summary>
              <div className="mt-1 grid gap-2">{each}</div>
            </details>
          )}
        </>
      ) : (
        each
      )}
      {!isComplete && <p className="text-warn">So much would change that not all of it was worked out.</p>}
    </div>
  )
}

interface ManyProps<One> {
  all: One[]
  verb: Verb
  /** Else what is counted is the least that there is. */
  isComplete: boolean
}

function Totals({ all, verb, isComplete }: ManyProps<LossInTotal>) {
  if (all.length === 0) return null
  return (
    <ul className="grid gap-1 text-ink">
      {all.map(({ resourceType, permission, subjectType, subjects, resources }) => (
        <li key={`${resourceType} ${permission} ${subjectType}`}>
          {whoDo(subjects, verb, isComplete)} {permission} on {isComplete ? '' : 'at least '}
          {resources.toLocaleString('en')} of type {resourceType}
        </li>
      ))}
    </ul>
  )
}

function Effects({ all, verb, isComplete }: ManyProps<Loss>) {
  if (all.length === 0) return null
  return (
    <ul className="grid gap-1.5">
      {all.map(({ resource, permission, subjectType, count, sample }) => (
        <li key={`${printReference(resource)} ${permission} ${subjectType}`}>
          <span className="text-ink">
            {whoDo(count, verb, isComplete)} {permission} on {printReference(resource)}
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

/** “7 subjects lose”, “At least 7 subjects lose”; more than a thousand are not counted. */
function whoDo(count: number, verb: Verb, isComplete: boolean): string {
  const who = count === 1 ? `1 subject ${verb}s` : `${count.toLocaleString('en')} subjects ${verb}`
  return isComplete && count < 1000 ? who : `At least ${who}`
}
