import { listSignInTraces } from '@passport/contract/sign-in-traces'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query, toFailure } from '../app/api.ts'
import { useProviderName } from '../app/provider-names.ts'
import { nameReason } from '../directory/failure-reasons.ts'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Status } from '../ui/Status.tsx'
import { partNames } from './trace-words.ts'

const limit = 20

/** The newest failed requests of sign-ins, all or with some reasons; each leads to its trace. */
export function FailedRequests({ title, reasons }: { title: string; reasons?: readonly string[] }) {
  const nameProvider = useProviderName()
  const { data, error, refetch } = useQuery({
    ...query(listSignInTraces, { query: { limit, ...(reasons && { reasons: reasons.join(' ') }) } }),
    staleTime: 0,
  })
  return (
    <Card title={title} action={<span className="text-[13px] text-ink3">30 days</span>}>
      {error && !data && <ErrorCard failure={toFailure(error, 'load requests')} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="Loading requests" rows={5} />}
      {data?.items.length === 0 && <Empty kind="nothing yet" title="No failed requests" />}
      <ul className="pb-1.5 empty:hidden">
        {data?.items.map(({ id, supportCode, at, reason, kind, client, user, provider, domain }) => (
          <li
            key={id}
            className="relative flex items-center gap-3 border-t border-hair px-4 py-2 first:border-0 hover:bg-well sm:px-[18px]"
          >
            <p className="min-w-0 flex-1">
              <Link
                to="/admin/audit/signins/trace"
                search={{ q: supportCode } as never}
                className="block truncate font-[560] after:absolute after:inset-0"
              >
                <Status tone="bad">{reason ? nameReason(reason) : 'Failed'}</Status>
              </Link>
              <span className="block truncate pl-4 text-[13px] text-ink2">
                {[
                  partNames[kind],
                  user?.name ?? (domain && `Someone at ${domain}`),
                  client?.name,
                  provider && nameProvider(provider),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </p>
            <span className="shrink-0 text-right text-[13px] text-ink2">
              <RelativeTime at={at} />
              <code className="block font-mono text-[12px] text-ink3">{supportCode}</code>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
