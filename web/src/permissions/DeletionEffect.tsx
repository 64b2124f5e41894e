import type { RelationshipFilter, RelationshipKey } from '@passport/contract/permission-terms'
import { type Loss, type LossInTotal, previewDeletion } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { query, toFailure } from '../app/api.ts'
import { formatCount } from '../directory/total.ts'
import { ObjectName } from './ObjectName.tsx'
import { printReference } from './reference.ts'
import { isUnsupported } from './unsupported.ts'

type Verb = 'lose' | 'gain'
type DeletionTarget = { filter: RelationshipFilter } | { relationships: RelationshipKey[] }

/** Queries the effect of a deletion; idle without a target. */
export const useDeletionEffect = (target: DeletionTarget | undefined) =>
  useQuery({
    ...query(previewDeletion, { body: target ?? {} }),
    enabled: target !== undefined,
    // A stale preview must not lead to a deletion.
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
type Effect = ReturnType<typeof useDeletionEffect>

/** Returns props of `Confirm`: the button is enabled once its preview has loaded or failed. */
export const getDeleteButtonProps = ({ isPending, isError }: Effect) => ({
  action: isError ? 'Delete anyway' : 'Delete',
  isReady: !isPending,
})

/** The lost and gained permissions. For a list of relationships, totals come first and the details are collapsed. */
export function DeletionEffect({ effect: { data, error }, isList }: { effect: Effect; isList: boolean }) {
  if (isUnsupported(error)) return <p className="mt-3">This engine cannot preview the effect.</p>
  if (error)
    return (
      <p role="alert" className="mt-3 text-bad">
        Couldn't preview the effect: {toFailure(error).detail}
      </p>
    )
  if (!data) return <p className="mt-3">Calculating the effect…</p>
  const { losses, gains, lossesInTotal, gainsInTotal, isComplete } = data
  const hasNoEffect = losses.length + gains.length === 0
  const details = (
    <>
      <Effects items={losses} verb="lose" isComplete={isComplete} />
      <Effects items={gains} verb="gain" isComplete={isComplete} />
    </>
  )
  return (
    <div role="status" className="mt-3 grid gap-2">
      {hasNoEffect && isComplete && <p>No one loses or gains access.</p>}
      {isList ? (
        <>
          <Totals items={lossesInTotal} verb="lose" isComplete={isComplete} />
          <Totals items={gainsInTotal} verb="gain" isComplete={isComplete} />
          {!hasNoEffect && (
            <details>
              <summary className="w-fit cursor-pointer py-1 hover:text-ink">Details</summary>
              <div className="mt-1 grid gap-2">{details}</div>
            </details>
          )}
        </>
      ) : (
        details
      )}
      {!isComplete && <p className="text-warn">The effect is too large to show in full.</p>}
    </div>
  )
}

interface EffectListProps<Item> {
  items: Item[]
  verb: Verb
  /** Whether the counts are exact, not lower bounds. */
  isComplete: boolean
}

function Totals({ items, verb, isComplete }: EffectListProps<LossInTotal>) {
  if (items.length === 0) return null
  return (
    <ul className="grid gap-1 text-ink">
      {items.map(({ resourceType, permission, subjectType, subjects, resources }) => (
        <li key={`${resourceType} ${permission} ${subjectType}`}>
          {formatSubjects(subjects, verb, isComplete)} {permission} on {isComplete ? '' : 'at least '}
          {formatCount(resources, ['resource', 'resources'])} of type {resourceType}
        </li>
      ))}
    </ul>
  )
}

function Effects({ items, verb, isComplete }: EffectListProps<Loss>) {
  if (items.length === 0) return null
  return (
    <ul className="grid gap-1.5">
      {items.map(({ resource, permission, subjectType, count, sample }) => (
        <li key={`${printReference(resource)} ${permission} ${subjectType}`}>
          <span className="text-ink">
            {formatSubjects(count, verb, isComplete)} {permission} on {printReference(resource)}
          </span>
          <span className="block font-mono text-[12px] [overflow-wrap:anywhere]">
            {sample.map((id, index) => (
              <span key={id}>
                {index > 0 && ', '}
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

/** Formats “7 subjects lose” or “At least 7 subjects lose”; the service stops counting at 1,000. */
function formatSubjects(count: number, verb: Verb, isComplete: boolean): string {
  const text = `${formatCount(count, ['subject', 'subjects'])} ${count === 1 ? `${verb}s` : verb}`
  return isComplete && count < 1000 ? text : `At least ${text}`
}
