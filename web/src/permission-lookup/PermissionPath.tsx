import type { Relationship } from '@passport/contract/permission-terms'
import { checkPermission } from '@passport/contract/permissions'
import { findGrantingChains, toExactFilter } from '@passport/permissions'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { query, toFailure } from '../app/api.ts'
import { type TimedQuestion, toCheckSearch } from '../permissions/check-search.ts'
import { useObjectName } from '../permissions/ObjectName.tsx'
import { ObjectLabel, PathChains } from '../permissions/PathChains.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'

/** An id without relationships: such a subject has only what everyone has. */
const unrelatedId = '|anybody|'

/** The path by which a subject, or everyone, has a permission, computed on demand. */
export function PermissionPath({ question, onLoaded }: { question: TimedQuestion; onLoaded?: () => void }) {
  const isEveryone = question.subject.id === '*'
  const checked = isEveryone ? { ...question, subject: { ...question.subject, id: unrelatedId } } : question
  const { data, error, refetch } = useQuery({
    ...query(checkPermission, { body: { ...checked, withTrace: true } }),
    retry: false,
  })
  const isLoaded = data !== undefined || error !== null
  useEffect(() => {
    if (isLoaded) onLoaded?.()
  }, [isLoaded, onLoaded])
  if (error) return <ErrorCard failure={toFailure(error)} onRetry={() => void refetch()} />
  if (!data) return <p className="text-ink3">Loading path…</p>
  return (
    <div className="grid gap-2">
      <PathChains
        chains={data.debugTrace ? findGrantingChains(data.debugTrace) : []}
        isAllowed={data.permissionship !== 'noPermission'}
        renderObject={(place) => <NamedObject {...place} />}
        renderRelation={(relationship) => <RelationLink relationship={relationship} />}
      />
      {!isEveryone && (
        <Link
          to="/admin/tools/permissions/check"
          search={toCheckSearch(question) as never}
          className="link w-fit text-[13px] leading-6"
        >
          Full explanation
        </Link>
      )}
    </div>
  )
}

/** A step of a path, linked to its relationship. */
function RelationLink({ relationship }: { relationship: Relationship }) {
  return (
    <Link to="/admin/tools/relations" search={toExactFilter(relationship) as never} className="link">
      {relationship.relation}
    </Link>
  )
}

function NamedObject({ type, id }: { type: string; id: string }) {
  return <ObjectLabel object={{ type, id }} name={useObjectName({ type, id })} />
}
