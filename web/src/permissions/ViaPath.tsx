import type { Relationship } from '@passport/contract/permission-terms'
import { checkPermission } from '@passport/contract/permissions'
import { exactFilter } from '@passport/permissions/exact-filter'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { useEffect } from 'react'
import { failureOf, query } from '../app/api.ts'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { searchFor, type TimedQuestion } from './check-search.ts'
import { useObjectName } from './ObjectName.tsx'
import { printReference } from './reference.ts'
import { chainsOf } from './via-path.ts'

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
  const chains = data.debugTrace ? chainsOf(data.debugTrace) : []
  return (
    <div className="grid gap-2">
      {chains.length === 0 && (
        <p className="text-ink2">
          {data.permissionship === 'noPermission' ? 'Not any more.' : 'By itself: no relationship is needed.'}
        </p>
      )}
      {chains.map((chain, at) => (
        <div key={at} className="grid gap-1">
          {at > 0 && <p className="text-[12px] font-[600] text-ink3">and</p>}
          <Chain chain={chain} />
        </div>
      ))}
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

/** `user:ada → member of group:staff → viewer of document:handbook`, each step a link to its relationship. */
function Chain({ chain }: { chain: Relationship[] }) {
  const [first] = chain
  if (!first) return null
  return (
    <ol className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <li>
        <Name type={first.subject.type} id={first.subject.id} />
      </li>
      {chain.map((relationship, at) => (
        <li key={at} className="flex flex-wrap items-center gap-x-2">
          <ArrowRight size={14} aria-hidden="true" className="text-ink3" />
          <span>
            <Link to="/admin/tools/relations" search={exactFilter(relationship) as never} className="link">
              {relationship.relation}
            </Link>{' '}
            of <Name {...relationship.resource} />
            {relationship.caveat && <span className="text-ink3"> under {relationship.caveat.name}</span>}
          </span>
        </li>
      ))}
    </ol>
  )
}

function Name(reference: { type: string; id: string }) {
  const name = useObjectName(reference)
  return name ? (
    <span className="font-[560]" title={printReference(reference)}>
      {name}
    </span>
  ) : (
    <code className="font-mono text-[12.5px] [overflow-wrap:anywhere]">{printReference(reference)}</code>
  )
}
