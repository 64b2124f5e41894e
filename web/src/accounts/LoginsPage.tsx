import { useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { AccountHead } from '../app/AccountHead.tsx'
import { toast } from '../ui/toast.ts'
import { ActivityCard } from './ActivityCard.tsx'
import { ApplicationsCard } from './ApplicationsCard.tsx'
import { LoginsCard } from './LoginsCard.tsx'
import { SessionsCard } from './SessionsCard.tsx'

/** The logins, sessions, applications and activity of the user's own account. */
export function LoginsPage() {
  const { linked } = useSearch({ strict: false }) as { linked?: unknown }
  useEffect(() => {
    if (typeof linked === 'string') void toast({ id: 'linked', type: 'success', content: 'Sign-in method linked' })
  }, [linked])
  return (
    <div>
      <AccountHead />
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_380px]">
        <div className="grid gap-6">
          <LoginsCard />
          <SessionsCard />
          <ApplicationsCard />
        </div>
        <ActivityCard />
      </div>
    </div>
  )
}
