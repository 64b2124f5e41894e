import { listActivity, listConsents, listLogins, listSessions } from '@passport/contract/accounts'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { AccountHead } from '../app/AccountHead.tsx'
import { query } from '../app/api.ts'
import { toast } from '../ui/toast.ts'
import { ActivityCard, firstActivity } from './ActivityCard.tsx'
import { ApplicationsCard } from './ApplicationsCard.tsx'
import { LoginsCard } from './LoginsCard.tsx'
import { SessionsCard } from './SessionsCard.tsx'

/** The logins, sessions, applications and activity of the current user. */
export function LoginsPage() {
  const { linked } = useSearch({ strict: false }) as { linked?: unknown }
  useEffect(() => {
    if (typeof linked === 'string') void toast({ id: 'linked', type: 'success', content: 'Sign-in method linked' })
  }, [linked])
  return (
    <div>
      <AccountHead />
      <Cards />
    </div>
  )
}

/** The cards appear together: each would push down those below it. */
function Cards() {
  const queries = [
    useQuery(query(listLogins, {})),
    useQuery(query(listSessions, {})),
    useQuery(query(listConsents, {})),
    useQuery(query(listActivity, firstActivity)),
  ]
  if (queries.some(({ isPending }) => isPending)) return <Placeholder />
  return (
    <div className="cols">
      <div className="grid gap-4">
        <LoginsCard />
        <SessionsCard />
        <ApplicationsCard />
      </div>
      <ActivityCard />
    </div>
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
