import type { RelationshipFilter } from '@passport/contract/permission-terms'
import { listRelationshipHistory } from '@passport/contract/permissions'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call, toFailure } from '../app/api.ts'
import { RelationshipText } from '../permissions/RelationshipText.tsx'
import { isUnsupported } from '../permissions/unsupported.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Status, type Tone } from '../ui/Status.tsx'

interface RelationshipHistoryProps {
  filter: RelationshipFilter
  /** Omits the relationship from each entry, for the history of only one. */
  isShort?: boolean
}

/** The changes of relationships with author and time, newest first. */
export function RelationshipHistory({ filter, isShort = false }: RelationshipHistoryProps) {
  const limit = isShort ? 10 : 50
  const history = useInfiniteQuery({
    queryKey: [listRelationshipHistory.path, { query: { ...filter, limit } }],
    queryFn: ({ pageParam, signal }) =>
      call(
        listRelationshipHistory,
        { query: { ...filter, limit, ...(pageParam !== undefined && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
    retry: false,
  })
  const padding = isShort ? '' : 'px-5'
  const { error } = history
  if (isUnsupported(error)) return <p className={`py-3 text-ink2 ${padding}`}>This engine does not keep a history.</p>
  if (error) return <ErrorCard failure={toFailure(error)} onRetry={() => void history.refetch()} />
  if (!history.data) return <Skeleton label="Loading history" rows={isShort ? 1 : 4} />
  const items = history.data.pages.flatMap(({ items }) => items)
  if (items.length === 0) return <p className={`py-3 text-ink2 ${padding}`}>No recorded changes</p>
  return (
    <>
      <ol>
        {items.map(({ operation, relationship, at, by, token }, index) => (
          <li
            key={`${token} ${index}`}
            className={`flex flex-wrap items-baseline gap-x-4 gap-y-0.5 py-2 ${padding} ${isShort ? '' : 'border-t border-line first:border-t-0'}`}
          >
            <Status tone={tones[operation]}>{operationWords[operation]}</Status>
            {!isShort && (
              <span className="min-w-0 flex-1 basis-72">
                <RelationshipText relationship={relationship} />
              </span>
            )}
            <span className="text-ink2">
              {by ? (
                <>
                  by <ActorLink by={by} />,{' '}
                </>
              ) : (
                'by the system, '
              )}
              <RelativeTime at={at} inSentence />
            </span>
          </li>
        ))}
      </ol>
      {history.hasNextPage && (
        <div className={`py-3 ${padding}`}>
          <Button isSmall isBusy={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </>
  )
}

const operationWords = { added: 'Added', changed: 'Changed', removed: 'Deleted' }
const tones: Record<keyof typeof operationWords, Tone> = { added: 'ok', changed: 'warn', removed: 'bad' }

function ActorLink({ by: { kind, id, name } }: { by: { kind: 'user' | 'client'; id: string; name: string | null } }) {
  if (kind === 'client') return <>the application {name ?? id}</>
  return (
    <Link to="/admin/users/$userId" params={{ userId: id }} className="link">
      {name ?? id}
    </Link>
  )
}
