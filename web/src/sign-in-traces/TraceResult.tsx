import { ApiError } from '@passport/contract/call'
import { getSignInTrace, type SignInTrace } from '@passport/contract/sign-in-traces'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleDashed, CircleX } from 'lucide-react'
import type { ReactNode } from 'react'
import { query, toFailure } from '../app/api.ts'
import { useProviderName } from '../app/provider-names.ts'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Explanation } from './Explanation.tsx'
import { TraceParts } from './TraceParts.tsx'

/** The sign-in of a support code: why it failed, its facts, and every step. */
export function TraceResult({ code }: { code: string }) {
  const { data, error, refetch } = useQuery({
    ...query(getSignInTrace, { params: { supportCode: code } }),
    // More requests of the sign-in may follow.
    staleTime: 0,
    retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status === 404),
  })
  if (error instanceof ApiError && error.status === 404) return <NoTrace code={code} />
  if (error && !data) return <ErrorCard failure={toFailure(error, 'load the trace')} onRetry={() => void refetch()} />
  if (!data)
    return (
      <div className="card pt-5">
        <Skeleton label="Loading the trace" rows={8} />
      </div>
    )
  return (
    <div className="cols">
      <div className="grid gap-4">
        <Verdict trace={data} />
        <TraceParts trace={data} />
      </div>
      <aside>
        <Facts trace={data} />
      </aside>
    </div>
  )
}

const AuditLink = ({ code, children }: { code: string; children: ReactNode }) => (
  <Link
    to="/admin/audit"
    search={(code.length === 32 ? { traceId: code } : { supportCode: code }) as never}
    className="link"
  >
    {children}
  </Link>
)

function NoTrace({ code }: { code: string }) {
  return (
    <div className="card">
      <Empty kind="no match" title={`No sign-in with the code ${code}`}>
        <p>
          Check the code: steps are kept for 30 days. Errors of other pages are in the server log under the same code,
          and their events in the <AuditLink code={code}>audit log</AuditLink>.
        </p>
      </Empty>
    </div>
  )
}

function Verdict({ trace: { result, explanation, reason, parts } }: { trace: SignInTrace }) {
  if (result === 'failed')
    return (
      <Explanation
        title={explanation?.title ?? 'Failed'}
        cause={explanation?.cause ?? `The request failed with ${reason}.`}
        fix={explanation?.fix ?? 'Read the message of the failed step.'}
        picture={<CircleX size={26} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-bad" />}
      />
    )
  const isDone = result === 'succeeded'
  const hasFailed = parts.some((part) => part.result === 'failed')
  return (
    <section aria-labelledby="verdict" className="card flex gap-3.5 px-4 py-4 sm:px-[18px]">
      {isDone ? (
        <CircleCheck size={26} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-ok" />
      ) : (
        <CircleDashed size={26} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-warn" />
      )}
      <div>
        <h2 id="verdict" className="text-[17px] leading-6 font-[640]">
          {isDone ? 'Succeeded' : 'Not finished here'}
        </h2>
        <p className="mt-1 text-ink2">
          {isDone ? 'This request succeeded' : 'This request led to another one'}
          {hasFailed ? '; another one of the same sign-in failed.' : '.'}
        </p>
      </div>
    </section>
  )
}

function Facts({ trace }: { trace: SignInTrace }) {
  const nameProvider = useProviderName()
  const { supportCode, at, user, client, provider, domain, ip, userAgent, parts } = trace
  const traceId = parts.find((part) => part.supportCode === supportCode)?.traceId
  const rows: [label: string, value: ReactNode][] = [
    ['Time', <RelativeTime key="at" at={at} />],
    [
      'User',
      user && (
        <Link key="user" to="/admin/users/$userId" params={{ userId: user.id } as never} className="link">
          {user.name}
        </Link>
      ),
    ],
    ['Email domain', domain],
    [
      'Application',
      client && (
        <Link
          key="client"
          to="/admin/identity/clients/$clientId"
          params={{ clientId: client.id } as never}
          className="link"
        >
          {client.name}
        </Link>
      ),
    ],
    ['Provider', provider && nameProvider(provider)],
    ['Network address', ip],
    ['Browser', userAgent && [userAgent.browser, userAgent.os].filter(Boolean).join(', ')],
    [
      'Support code',
      <span key="code" className="inline-flex items-center gap-1">
        <code className="font-mono">{supportCode}</code>
        <CopyButton text={supportCode} label="Copy the support code" />
      </span>,
    ],
    [
      'Trace ID',
      traceId && (
        <span key="trace" className="flex min-w-0 items-center gap-1">
          <code className="truncate font-mono text-[12.5px]">{traceId}</code>
          <CopyButton text={traceId} label="Copy the trace ID" />
        </span>
      ),
    ],
  ]
  return (
    <Card title="Details" action={<AuditLink code={supportCode}>Audit log</AuditLink>}>
      <dl className="px-4 pb-3 sm:px-[18px]">
        {rows.map(
          ([label, value]) =>
            value && (
              <div key={label} className="grid min-h-8 grid-cols-[112px_minmax(0,1fr)] items-center gap-3 py-0.5">
                <dt className="text-[13px] text-ink2">{label}</dt>
                <dd className="[overflow-wrap:anywhere]">{value}</dd>
              </div>
            ),
        )}
      </dl>
    </Card>
  )
}
