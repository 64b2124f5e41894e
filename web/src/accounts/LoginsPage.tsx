import { listActivity, listConsents, listLogins, listSessions } from '@passport/contract/accounts'
import { listConnections, listConnectors } from '@passport/contract/connections'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { AccountHead } from '../app/AccountHead.tsx'
import { query } from '../app/api.ts'
import { lazyPart } from '../ui/lazy-part.tsx'
import { toast } from '../ui/toast.ts'
import { ActivityCard, firstActivity } from './ActivityCard.tsx'
import { ConnectionsCard } from './ConnectionsCard.tsx'
import { LoginsCard } from './LoginsCard.tsx'
import { SessionsCard } from './SessionsCard.tsx'

// Most users have authorised no application.
const ApplicationsCard = lazyPart(async () => (await import('./ApplicationsCard.tsx')).ApplicationsCard)

/** The logins, sessions, applications and activity of the current user. */
export function LoginsPage() {
  const { linked } = useSearch({ strict: false }) as { linked?: unknown }
  const { data: connections } = useQuery(query(listConnections, {}))
  const isConnection = connections?.some(({ connector }) => connector === linked)
  useEffect(() => {
    if (typeof linked !== 'string' || isConnection === undefined) return
    const content = isConnection ? 'Account connected' : 'Sign-in method linked'
    void toast({ id: 'linked', type: 'success', content })
  }, [linked, isConnection])
  return (
    <div>
      <AccountHead />
      <Cards />
    </div>
  )
}

/** The cards appear together: each would push down those below it. */
function Cards() {
  const consents = useQuery(query(listConsents, {}))
  const queries = [
    useQuery(query(listLogins, {})),
    useQuery(query(listConnections, {})),
    useQuery(query(listConnectors, {})),
    useQuery(query(listSessions, {})),
    consents,
    useQuery(query(listActivity, firstActivity)),
  ]
  if (queries.some(({ isPending }) => isPending)) return <Placeholder />
  return (
    <Suspense fallback={<Placeholder />}>
      <div className="cols">
        <div className="grid gap-4">
          <LoginsCard />
          <ConnectionsCard />
          <SessionsCard />
          {consents.data?.length !== 0 && <ApplicationsCard />}
        </div>
        <ActivityCard />
      </div>
    </Suspense>
  )
}

function Placeholder() {
  return (
    <div className="cols" aria-busy="true">
      <span className="sr-only">Loading your sign-in methods and sessions</span>
      <div className="grid gap-4">
        {['h-[120px]', 'h-[220px]', 'h-[100px]'].map((height) => (
          <div key={height} className={`card grid content-start gap-4 p-4 sm:px-[18px] ${height}`}>
            <div className="skeleton h-5 w-36" />
            <div className="skeleton h-9" />
          </div>
        ))}
      </div>
      <div className="card h-[320px] p-4 sm:px-[18px]">
        <div className="skeleton h-5 w-24" />
      </div>
    </div>
  )
}
