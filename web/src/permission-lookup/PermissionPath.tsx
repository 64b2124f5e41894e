import { checkPermission } from '@passport/contract/permissions'
import { findGrantingChains } from '@passport/permissions'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { query, toFailure } from '../app/api.ts'
import { type CheckQuestion, toCheckSearch } from '../permissions/check-search.ts'
import { ObjectLabel, ObjectPicture } from '../permissions/ObjectName.tsx'
import { PathLines, type PathStep } from '../permissions/PathLine.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'

/** An id without relationships: such a subject has only the permissions of the wildcard. */
const unrelatedId = '|anybody|'

/** Queries the path by which a subject, or the wildcard, has a permission. */
function usePath(question: CheckQuestion, enabled = true) {
  const checked =
    question.subject.id === '*' ? { ...question, subject: { ...question.subject, id: unrelatedId } } : question
  const path = useQuery({
    ...query(checkPermission, { body: { ...checked, withTrace: true } }),
    enabled,
    retry: false,
  })
  const chains: PathStep[][] = path.data?.debugTrace ? findGrantingChains(path.data.debugTrace) : []
  return { ...path, chains }
}

/** The path by which a subject, or the wildcard, has a permission. */
export function PermissionPath({ question, onLoaded }: { question: CheckQuestion; onLoaded?: () => void }) {
  const { data, chains, error, refetch } = usePath(question)
  const isLoaded = data !== undefined || error !== null
  useEffect(() => {
    if (isLoaded) onLoaded?.()
  }, [isLoaded, onLoaded])
  if (error) return <ErrorCard failure={toFailure(error)} onRetry={() => void refetch()} />
  if (!data) return <p className="text-ink3">Loading path…</p>
  return (
    <div className="grid gap-2">
      <PathLines chains={chains} isAllowed={data.permissionship !== 'noPermission'} isLinked />
      {question.subject.id !== '*' && (
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

/** Rows that are scrolled past in a shorter time send no requests. */
const settledMs = 150

/** The first object on the path to a permission; for a direct relationship, its relation. */
export function Through({ question }: { question: CheckQuestion }) {
  const [isSettled, setSettled] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), settledMs)
    return () => clearTimeout(timer)
  }, [])
  const { chains } = usePath(question, isSettled)
  const [first] = chains[0] ?? []
  if (!first) return null
  const isDirect = chains[0]?.length === 1
  const object = isDirect ? first.subject : first.resource
  return (
    <span className="flex min-w-0 items-center gap-2 text-[13px]">
      {!isDirect && <ObjectPicture object={object} size={22} />}
      <span className="truncate">{isDirect ? first.relation : <ObjectLabel object={object} />}</span>
      {chains.length > 1 && <span className="text-ink3">+{chains.length - 1}</span>}
    </span>
  )
}
