import {
  explainOwnPermission,
  listOwnPermissions,
  listOwnResources,
  type OwnPermission,
  type OwnResource,
} from '@passport/contract/own-permissions'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { parseNextCursor } from '../directory/list-cursor.ts'
import { Button } from '../ui/Button.tsx'
import { capitalize } from '../ui/capitalize.ts'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { ObjectLabel, ObjectPicture } from './ObjectName.tsx'
import { PathLines } from './PathLine.tsx'
import { printReference } from './reference.ts'
import { Verdict } from './Verdict.tsx'

const getNextPageParam = ({ next }: { next: string | null }) => (next === null ? undefined : parseNextCursor(next))

/** The signed-in user's permissions in applications, each with its path. */
export function OwnPermissions() {
  const permissionsQuery = useInfiniteQuery({
    queryKey: [listOwnPermissions.path],
    queryFn: ({ pageParam, signal }) => call(listOwnPermissions, { query: { after: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam,
  })
  const { data, error, dataUpdatedAt, hasNextPage, isFetchingNextPage, isFetchNextPageError } = permissionsQuery
  const retry = () => void (isFetchNextPageError ? permissionsQuery.fetchNextPage() : permissionsQuery.refetch())
  const permissions = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <div className="grid grid-cols-1 gap-2">
      {!data && !error && <Skeleton label="Loading permissions" rows={2} />}
      {permissions.map((permission) => (
        <OwnSection
          key={`${permission.type} ${permission.permission}`}
          ownPermission={permission}
          loadedAt={dataUpdatedAt}
          onRetry={retry}
        />
      ))}
      {data && permissions.length === 0 && !hasNextPage && (
        <Empty kind="nothing yet" title="No permissions">
          You have no permissions in any app yet.
        </Empty>
      )}
      {error && <ErrorCard failure={toFailure(error)} onRetry={retry} />}
      {hasNextPage && !error && (
        <Button className="w-fit" isBusy={isFetchingNextPage} onClick={() => void permissionsQuery.fetchNextPage()}>
          Show more permissions
        </Button>
      )}
    </div>
  )
}

/** The rows of a permission that are shown at first. */
const maxRows = 5

interface OwnSectionProps {
  ownPermission: OwnPermission
  /** The load time of the first page, in milliseconds since 1970. A reload discards the further pages. */
  loadedAt: number
  onRetry: () => void
}

/** A permission of the signed-in user and its resources. */
function OwnSection({ ownPermission, loadedAt, onRetry }: OwnSectionProps) {
  const { type, permission, items, next, error } = ownPermission
  const resources = useInfiniteQuery({
    queryKey: [listOwnResources.path, type, permission, loadedAt],
    queryFn: ({ pageParam, signal }) =>
      call(listOwnResources, { query: { type, permission, after: pageParam } }, { signal }),
    initialData: { pages: [{ items, limit: items.length, next }], pageParams: [undefined] },
    staleTime: Number.POSITIVE_INFINITY,
    initialPageParam: undefined as string | undefined,
    getNextPageParam,
  })
  const { hasNextPage, isFetchingNextPage } = resources
  const rows = resources.data.pages.flatMap((page) => page.items)
  const failure = error
    ? { title: 'Not available', detail: error.message }
    : resources.error && toFailure(resources.error)
  const showMore = () => void resources.fetchNextPage()
  const count = failure ? '' : `${rows.length.toLocaleString('en')}${hasNextPage ? '+' : ''} `
  const isOne = count === '1 '
  const [isLong, setLong] = useState(false)
  // One row more than a button would take its place.
  const shown = isLong || rows.length <= maxRows + 1 ? rows : rows.slice(0, maxRows)
  return (
    <section aria-label={`${type} · ${permission}`} className="border-t border-line pt-2 first:border-0 first:pt-0">
      <h3 className="py-1.5 font-[620] [overflow-wrap:anywhere]">
        {capitalize(permission.replaceAll('_', ' '))}{' '}
        <span className="font-normal text-ink2">
          {count}
          {isOne ? formatType(type) : formatPlural(formatType(type))}
        </span>
      </h3>
      {rows.length > 0 && (
        <ul>
          {shown.map((row) => (
            <OwnRow key={row.id} row={row} type={type} permission={permission} />
          ))}
        </ul>
      )}
      {!failure && rows.length === 0 && (
        <p className="border-t border-hair py-3 text-ink2">{hasNextPage ? 'No results so far' : 'No results'}</p>
      )}
      {failure && (
        <div className="pb-3">
          <ErrorCard failure={failure} onRetry={error ? onRetry : showMore} />
        </div>
      )}
      {shown.length < rows.length && (
        <div className="border-t border-hair py-2.5">
          <Button isSmall onClick={() => setLong(true)}>
            Show all {count}
          </Button>
        </div>
      )}
      {hasNextPage && !failure && shown.length === rows.length && (
        <div className="border-t border-hair py-3">
          <Button isSmall isBusy={isFetchingNextPage} onClick={showMore}>
            Show more
          </Button>
        </div>
      )}
    </section>
  )
}

/** Formats the last part of a type's name, in words: “passport/org” is “organisation”. */
const formatType = (type: string) =>
  type === 'passport/org' ? 'organisation' : (type.split('/').at(-1) ?? type).replaceAll('_', ' ')

const formatPlural = (noun: string) =>
  /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}${/(s|x|ch|sh)$/.test(noun) ? 'es' : 's'}`

/** A resource with its condition, if any, and, on request, the path. */
function OwnRow({ row, type, permission }: { row: OwnResource; type: string; permission: string }) {
  const { id, name, permissionship, partialCaveatMissing } = row
  const [isOpen, setOpen] = useState(false)
  const reference = printReference({ type, id })
  const buttonText = isOpen ? 'Hide why' : 'Why'
  return (
    <li className="border-t border-hair py-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <p className="flex min-w-0 flex-1 basis-44 items-center gap-2.5">
          <ObjectPicture object={{ type, id, name }} size={28} />
          <ObjectLabel object={{ type, id, name }} />
        </p>
        {permissionship === 'conditional' && <Verdict permissionship={permissionship} missing={partialCaveatMissing} />}
        <Button
          isSmall
          variant="ghost"
          aria-expanded={isOpen}
          aria-label={`${buttonText} ${reference}`}
          onClick={() => setOpen(!isOpen)}
        >
          {buttonText}
        </Button>
      </div>
      {isOpen && (
        <div className="mt-1 mb-2 grid gap-2 rounded-ctl bg-well px-3 py-2.5">
          <OwnPath type={type} id={id} permission={permission} />
        </div>
      )}
    </li>
  )
}

/** The path by which the signed-in user has the permission. */
function OwnPath(target: { type: string; id: string; permission: string }) {
  const { data, error, refetch } = useQuery({ ...query(explainOwnPermission, { query: target }), retry: false })
  if (error) return <ErrorCard failure={toFailure(error)} onRetry={() => void refetch()} />
  if (!data) return <p className="text-ink3">Loading path…</p>
  return <PathLines chains={data.chains} isAllowed={data.permissionship !== 'noPermission'} />
}
