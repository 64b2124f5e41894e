import type { Org } from '@passport/contract/orgs'
import {
  createScimToken,
  getProvisioning,
  listScimRequests,
  type NewScimToken,
  type Provisioning,
  revokeScimToken,
} from '@passport/contract/scim'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { StatusStrip } from '../ui/StatusStrip.tsx'
import { Step } from '../ui/Step.tsx'
import { AddressLine } from './AddressLine.tsx'
import { DeletionCheck } from './DeletionCheck.tsx'
import { pollMs, RequestLog } from './RequestLog.tsx'
import { ScimTokens } from './ScimTokens.tsx'
import { createCells, isFailed, listOfLastDay } from './strip.ts'

/** The provisioning of users and groups by the customer's Microsoft Entra: what arrives, and with what. */
export function OrgProvisioning({ org }: { org: Org }) {
  return org.entra ? <Connected orgId={org.id} /> : <NoTenant />
}

const NoTenant = () => (
  <Card title="Provisioning">
    <Empty kind="nothing yet" title="No tenant">
      Users and groups are provisioned from a Microsoft Entra tenant.{' '}
      <Link to="/admin/orgs/createentra" className="link">
        Create Entra organisation
      </Link>
    </Empty>
  </Card>
)

const useProvisioning = (orgId: string) =>
  useQuery({ ...query(getProvisioning, { params: { orgId } }), refetchInterval: pollMs })

/** What is needed less often once requests arrive: the connection, and a question about deletions. */
export function ProvisioningRail({ org }: { org: Org }) {
  return org.entra && <ConnectedRail orgId={org.id} />
}

function ConnectedRail({ orgId }: { orgId: string }) {
  const { data } = useProvisioning(orgId)
  if (!data?.lastRequestAt) return null
  return (
    <>
      <Connection orgId={orgId} provisioning={data} />
      <DeletionCheck orgId={orgId} />
    </>
  )
}

function Connected({ orgId }: { orgId: string }) {
  const provisioning = useProvisioning(orgId)
  const { data, error } = provisioning
  if (error && !data)
    return <ErrorCard failure={toFailure(error, 'load provisioning')} onRetry={() => void provisioning.refetch()} />
  if (!data)
    return (
      <div aria-busy="true" className="grid gap-4">
        <span className="sr-only">Loading provisioning</span>
        <div className="skeleton h-36" />
        <div className="skeleton h-48" />
      </div>
    )
  return data.lastRequestAt ? (
    <>
      <Glance orgId={orgId} provisioning={data} />
      <RequestLog orgId={orgId} />
    </>
  ) : (
    <>
      <Connection orgId={orgId} provisioning={data} />
      <NextSteps hasToken={data.tokens.some(({ state }) => state === 'live')} />
    </>
  )
}

/** The address and the tokens, which the customer enters at Microsoft Entra. */
function Connection({ orgId, provisioning: { url, tokens } }: { orgId: string; provisioning: Provisioning }) {
  const queryClient = useQueryClient()
  const params = { orgId }
  return (
    <Card
      title="Connection"
      description="Enter both in the enterprise application in Microsoft Entra."
      action={
        <a className="link text-[13px]" href="/docs/provisioning">
          Guide
        </a>
      }
    >
      <AddressLine url={url} />
      <ScimTokens
        tokens={tokens}
        create={(body: NewScimToken) => call(createScimToken, { params, body })}
        revoke={(tokenId) => call(revokeScimToken, { params: { ...params, tokenId } })}
        onChange={() => void queryClient.invalidateQueries({ queryKey: [getProvisioning.path] })}
      />
    </Card>
  )
}

/** What is left to do until the first request. */
const NextSteps = ({ hasToken }: { hasToken: boolean }) => (
  <Card title={hasToken ? 'Waiting for the first request' : 'Begin with a token'}>
    <ol className="grid gap-4 px-4 pt-1 pb-[18px] sm:px-[18px]">
      {!hasToken && (
        <Step number={1} title="Create a token">
          <StepText>Above. It is shown once.</StepText>
        </Step>
      )}
      <Step number={hasToken ? 1 : 2} title="Paste the tenant URL and the token at Microsoft Entra">
        <StepText>Enterprise applications → your application → Provisioning → Automatic.</StepText>
      </Step>
      <Step number={hasToken ? 2 : 3} title="Test the connection">
        <StepText>The request appears on this page.</StepText>
      </Step>
    </ol>
  </Card>
)

const StepText = ({ children }: { children: ReactNode }) => <p className="text-[13px] text-ink2">{children}</p>

/** The state at a glance: how many are provisioned, and the requests of the last day. */
function Glance({ orgId, provisioning }: { orgId: string; provisioning: Provisioning }) {
  const now = Date.now()
  const { data } = useQuery({
    ...query(listScimRequests, { params: { orgId }, query: { limit: 200 } }),
    refetchInterval: 6 * pollMs,
  })
  const requests = listOfLastDay(data?.items ?? [], now)
  const failed = requests.filter(isFailed).length
  const { counts, lastRequestAt } = provisioning
  return (
    <section aria-label="State" className="card px-4 py-4 sm:px-[18px]">
      <dl className="grid grid-cols-2 gap-4 sm:grid-cols-4">
        <Figure term="Users" detail={counts.inactive > 0 && `${counts.inactive.toLocaleString('en')} inactive`}>
          {counts.users.toLocaleString('en')}
        </Figure>
        <Figure term="Groups">{counts.groups.toLocaleString('en')}</Figure>
        <Figure term="Errors in 24 hours" isBad={failed > 0}>
          {data ? failed : '–'}
        </Figure>
        <Figure term="Last request">{lastRequestAt ? <RelativeTime at={lastRequestAt} /> : '–'}</Figure>
      </dl>
      <div className="mt-4">
        <StatusStrip
          label={`${requests.length} requests in the last 24 hours, ${failed} failed.`}
          cells={createCells(requests, now)}
        />
        <p aria-hidden="true" className="mt-1 flex justify-between text-[12px] text-ink3">
          <span>24 hours ago</span>
          <span>Now</span>
        </p>
      </div>
    </section>
  )
}

interface FigureProps {
  term: string
  detail?: ReactNode
  isBad?: boolean
  children: ReactNode
}

const Figure = ({ term, detail, isBad = false, children }: FigureProps) => (
  <div>
    <dt className="text-[13px] text-ink3">{term}</dt>
    <dd className={`text-[22px] leading-7 font-[620] tabular-nums ${isBad ? 'text-bad' : ''}`}>{children}</dd>
    {detail && <dd className="text-[13px] text-ink2">{detail}</dd>}
  </div>
)
