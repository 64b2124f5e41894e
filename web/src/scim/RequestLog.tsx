import { getScimRequest, listScimRequests, type ScimRequest, type ScimRequestDetails } from '@passport/contract/scim'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { CircleAlert, Info } from 'lucide-react'
import { query, toFailure } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Note } from '../ui/Note.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Status } from '../ui/Status.tsx'
import { isFailed } from './strip.ts'

/** The interval at which a visible page is kept current. */
export const pollMs = 5000
const firstRows = 25
/** All requests that the server keeps. */
const allRows = 200

interface LogSearch {
  outcome?: unknown
  all?: unknown
  request?: unknown
}

const views = [
  { value: 'all', label: 'All' },
  { value: 'failed', label: 'Errors' },
] as const

/** The requests of SCIM clients, live, newest first. Filter, length and the open request are in the address. */
export function RequestLog({ orgId }: { orgId: string }) {
  const search = useSearch({ strict: false }) as LogSearch
  const navigate = useNavigate()
  const isFiltered = search.outcome === 'failed'
  const limit = search.all === 'true' ? allRows : firstRows
  const show = (changes: Record<string, string | undefined>, replace = true) =>
    void navigate({ to: '.', search: { ...search, ...changes } as never, replace, resetScroll: false })
  const requests = useQuery({
    ...query(listScimRequests, {
      params: { orgId },
      query: { limit, ...(isFiltered && { outcome: 'failed' as const }) },
    }),
    placeholderData: (previous) => previous,
    // Hidden tabs do not poll.
    refetchInterval: pollMs,
  })
  const { data, error } = requests
  const requestId = typeof search.request === 'string' ? search.request : undefined
  return (
    <Card
      title="Requests"
      description="Live. The last 200, for 30 days, without secrets."
      action={
        <Segmented
          label="Requests"
          value={isFiltered ? 'failed' : 'all'}
          options={views}
          onChange={(view) => show({ outcome: view === 'failed' ? view : undefined })}
        />
      }
    >
      {error && <ErrorCard failure={toFailure(error, 'load the requests')} onRetry={() => void requests.refetch()} />}
      {!data && !error && <Skeleton label="Loading requests" rows={5} />}
      {data?.items.length === 0 &&
        (isFiltered ? (
          <Empty kind="no match" title="No errors">
            <Button onClick={() => show({ outcome: undefined })}>Show all requests</Button>
          </Empty>
        ) : (
          <Empty kind="nothing yet" title="No requests yet">
            Test the connection in Microsoft Entra. The request appears here.
          </Empty>
        ))}
      <ul>
        {data?.items.map((request) => (
          <RequestRow key={request.id} request={request} onOpen={() => show({ request: request.id }, false)} />
        ))}
      </ul>
      {data?.next && limit === firstRows && (
        <p className="border-t border-hair px-4 py-3 sm:px-[18px]">
          <Button isSmall onClick={() => show({ all: 'true' })}>
            Show all requests
          </Button>
        </p>
      )}
      <Dialog
        isOpen={requestId !== undefined}
        title="SCIM request"
        className="w-[680px]"
        onClose={() => show({ request: undefined })}
      >
        {requestId && <RequestDetails orgId={orgId} requestId={requestId} />}
      </Dialog>
    </Card>
  )
}

function RequestRow({ request, onOpen }: { request: ScimRequest; onOpen: () => void }) {
  const { at, method, path, error, notes } = request
  return (
    <li className="border-t border-hair first:border-0">
      <button
        type="button"
        className="flex w-full items-center gap-3 px-4 py-2 text-left hover:bg-well sm:px-[18px]"
        onClick={onOpen}
      >
        <code className="w-14 shrink-0 font-mono text-[12.5px] font-[600] text-ink2">{method}</code>
        <span className="min-w-0 flex-1 leading-snug">
          <code className="block truncate font-mono text-[12.5px]">{path}</code>
          {(error ?? notes[0]) && (
            <span className={`block truncate text-[13px] ${error ? 'text-bad' : 'text-ink2'}`}>
              {error?.detail ?? notes[0]}
            </span>
          )}
        </span>
        <RequestStatus request={request} />
        <span className="w-20 shrink-0 text-right text-[13px] text-ink3 max-sm:hidden">
          <RelativeTime at={at} />
        </span>
      </button>
    </li>
  )
}

const RequestStatus = ({ request }: { request: Pick<ScimRequest, 'status'> }) => (
  <Status tone={isFailed(request) ? 'bad' : 'ok'}>
    <span className="tabular-nums">{request.status}</span>
  </Status>
)

function RequestDetails({ orgId, requestId }: { orgId: string; requestId: string }) {
  const request = useQuery(query(getScimRequest, { params: { orgId, requestId } }))
  return (
    <div className="mt-3">
      <Loaded query={request} label="Loading the request" rows={6}>
        {(request) => <Details request={request} />}
      </Loaded>
    </div>
  )
}

function Details({ request }: { request: ScimRequestDetails }) {
  const { at, method, path, durationMs, token, error, notes, requestBody, responseBody, ip, userAgent, traceId } =
    request
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <code className="min-w-0 flex-1 basis-60 font-mono text-[13px] [overflow-wrap:anywhere]">
          <b>{method}</b> {path}
        </code>
        <RequestStatus request={request} />
      </div>
      {error && (
        <Note icon={<CircleAlert size={18} className="text-bad" />} title={error.detail}>
          {error.help ?? error.scimType}
        </Note>
      )}
      {notes.length > 0 && (
        <Note icon={<Info size={18} className="text-stamp" />} title="Other than the client may expect">
          {notes.map((note) => (
            <span key={note} className="block [overflow-wrap:anywhere]">
              {note}
            </span>
          ))}
        </Note>
      )}
      {requestBody && <Body label="Request" text={requestBody} />}
      {responseBody && <Body label="Response" text={responseBody} />}
      <p className="text-[13px] text-ink3 [overflow-wrap:anywhere]">
        <RelativeTime at={at} /> · {durationMs} ms · {token ? `token ${token.name}` : 'a deleted token'} · {ip} ·{' '}
        {userAgent} · trace {traceId}
      </p>
    </div>
  )
}

const Body = ({ label, text }: { label: string; text: string }) => (
  <div>
    <p className="mb-1 text-[13px] font-[560]">{label}</p>
    <div className="max-h-64 overflow-y-auto rounded-ctl">
      <CodeBlock label={label} text={format(text)} isWrapped />
    </div>
  </div>
)

/** Indents a JSON text; other texts, such as one that was cut off, stay as they are. */
function format(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
