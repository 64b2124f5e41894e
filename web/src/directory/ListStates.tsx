import { ApiError } from '@passport/contract/call'
import { Link } from '@tanstack/react-router'
import { CircleAlert } from 'lucide-react'
import type { Ref } from 'react'
import { toFailure } from '../app/api.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Empty } from '../ui/Empty.tsx'
import type { Failure } from '../ui/ErrorCard.tsx'
import type { ListPageProps } from './list-page.ts'

type StatesProps<Row> = Pick<
  ListPageProps<Row>,
  'list' | 'noun' | 'state' | 'emptyHint' | 'create' | 'secondary' | 'actions' | 'isEmbedded'
> & { createRef: Ref<HTMLAnchorElement> }

/** Replaces the rows of an empty list and explains why it is empty. */
export function ListStates<Row>({
  list,
  noun: [, many],
  state,
  emptyHint,
  create,
  secondary,
  actions,
  isEmbedded,
  createRef,
}: StatesProps<Row>) {
  const hasFilter = Object.keys(state.filters).length > 0
  // The words of the search begin the record, by the action that they fit.
  const way = state.searchText ? (secondary?.fits?.(state.searchText) ? secondary : create) : undefined
  if (list.error instanceof ApiError && list.error.status === 403)
    return (
      <Empty kind="no permission" title={`You don't have access to ${many}`}>
        Ask an administrator for access.
      </Empty>
    )
  if (isSignedOut(list.error))
    return (
      <Empty kind="no permission" title={`Sign in to see ${many}`}>
        Your search and filters are kept.
      </Empty>
    )
  if (list.error) return <Failed failure={describeFailure(list.error, many)} onRetry={() => void list.refetch()} />
  if (list.data && (list.data.total > 0 || state.page > 1))
    return (
      <Empty kind="no match" title="No more results">
        <Button className="mt-3" isSmall onClick={state.goFirst}>
          Back to first page
        </Button>
      </Empty>
    )
  if (state.isFiltered)
    return (
      // The line below the heading of the page has the words of the search.
      <Empty kind="no match" title={`No ${many} match ${hasFilter ? 'these filters' : 'this search'}`}>
        <div className="mt-2.5 flex flex-wrap justify-center gap-2">
          <Button variant="primary" onClick={state.clear}>
            {hasFilter ? 'Clear filters' : 'Clear search'}
          </Button>
          {way && (
            <Link
              to={way.to}
              params={way.params as never}
              search={{ ...way.search, name: state.searchText } as never}
              className={buttonClass()}
            >
              {way.label}
            </Link>
          )}
        </div>
      </Empty>
    )
  return (
    <Empty kind="nothing yet" title={`No ${many} yet`}>
      {emptyHint}
      {create && !(isEmbedded && actions) && (
        <p>
          <Link
            ref={createRef}
            to={create.to}
            params={create.params as never}
            search={create.search as never}
            className={`${buttonClass('primary')} mt-3`}
            aria-keyshortcuts={isEmbedded ? undefined : 'c'}
          >
            {create.label}
          </Link>
        </p>
      )}
    </Empty>
  )
}

interface FailedProps {
  failure: Failure
  onRetry: () => void
}

/** A failure in the place of the rows, in the shape of an empty list. */
const Failed = ({ failure: { title, detail, supportCode }, onRetry }: FailedProps) => (
  <div role="alert" className="grid justify-items-center gap-1.5 px-5 py-10 text-center">
    <span className="grid size-14 place-items-center rounded-box bg-well text-bad">
      <CircleAlert size={26} />
    </span>
    <p className="mt-2 text-[15px] font-[620]">{title}</p>
    <p className="max-w-lg text-balance text-ink2">{detail}</p>
    <Button variant="primary" className="mt-3" onClick={onRetry}>
      Try again
    </Button>
    {supportCode && (
      <p className="mt-2 flex items-center gap-1 text-[13px] text-ink3">
        Support code <code className="font-mono">{supportCode}</code>
        <CopyButton text={supportCode} label="Copy support code" />
      </p>
    )}
  </div>
)

/** Describes the failure in words, even if the response has none for users. */
function describeFailure(error: Error, many: string): Failure {
  const failure = toFailure(error, `load ${many}`)
  if (!(error instanceof ApiError) || error.status < 500) return failure
  if (error.problem?.detail && error.problem.code !== 'internal-error') return failure
  return { ...failure, detail: `Something went wrong on our side (${error.status}).` }
}

/** The session bar already says that the user is signed out, and how to sign in. */
const isSignedOut = (error: Error | null) => error instanceof ApiError && error.problem?.code === 'not-signed-in'

/** A line above rows that could not be refreshed, with a retry button. */
export function FailedRefresh<Row>({ list, noun: [, many] }: Pick<ListPageProps<Row>, 'list' | 'noun'>) {
  if (!list.error || isSignedOut(list.error)) return null
  const { detail, supportCode } = toFailure(list.error)
  return (
    <div role="alert" className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-5 py-3">
      <p className="mr-auto">
        <span className="font-[620] text-bad">Couldn't load {many}.</span> <span className="text-ink2">{detail}</span>
        {supportCode && (
          <span className="text-[13px] text-ink3">
            {' '}
            Support code <code className="font-mono">{supportCode}</code>
          </span>
        )}
      </p>
      <Button isSmall onClick={() => void list.refetch()}>
        Try again
      </Button>
    </div>
  )
}
