import type { Relationship } from '@passport/contract/permission-terms'
import { checkPermission } from '@passport/contract/permissions'
import { exactFilter } from '@passport/permissions/exact-filter'
import { chainsOf } from '@passport/permissions/granting-chains'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { failureOf, query } from '../app/api.ts'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { searchFor, type TimedQuestion } from './check-search.ts'
import { useObjectName } from './ObjectName.tsx'
import { PathChains, PlaceName } from './PathChains.tsx'

/** An id that is in no relationship: whatever such a subject has, everyone has. */
const anybody = '|anybody|'

/** How somebody has something, or everyone, worked out anew: from the subject over what it is in to the resource. */
export function ViaPath({ question, onKnown }: { question: TimedQuestion; onKnown?: () => void }) {
  const isEveryone = question.subject.id === '*'
  const asked = isEveryone ? { ...question, subject: { ...question.subject, id: anybody } } : question
  const { data, error, refetch } = useQuery({
    ...query(checkPermission, { body: { ...asked, withTrace: true } }),
    retry: false,
  })
  const isKnown = data !== undefined || error !== null
  useEffect(() => {
    if (isKnown) onKnown?.()
  }, [isKnown, onKnown])
  if (error) return <ErrorCard failure={failureOf(error)} onRetry={() => void refetch()} />
  if (!data) return <p className="text-ink3">Working it out …</p>
  return (
    <div className="grid gap-2">
      <PathChains
        chains={data.debugTrace ? chainsOf(data.debugTrace) : []}
        isAllowed={data.permissionship !== 'noPermission'}
        placeOf={(place) => <Name {...place} />}
        relationOf={(relationship) => <RelationLink relationship={relationship} />}
      />
      {!isEveryone && (
        <Link
          to="/admin/tools/permissions/check"
          search={searchFor(question) as never}
          className="link w-fit text-[13px] leading-6"
        >
          Whole reason
        </Link>
      )}
    </div>
  )
}

/** A step of a path as a link to its relationship. */
function RelationLink({ relationship }: { relationship: Relationship }) {
  return (
    <Link to="/admin/tools/relations" search={exactFilter(relationship) as never} className="link">
      {relationship.relation}
    </Link>
  )
}

function Name({ type, id }: { type: string; id: string }) {
  return <PlaceName place={{ type, id }} name={useObjectName({ type, id })} />
}
