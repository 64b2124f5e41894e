import { useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { AccountHead } from '../app/AccountHead.tsx'
import { toast } from '../ui/toast.ts'
import { ActivityCard } from './ActivityCard.tsx'
import { ApplicationsCard } from './ApplicationsCard.tsx'
import { LoginsCard } from './LoginsCard.tsx'
import { SessionsCard } from './SessionsCard.tsx'

/** The ways into one's account, where one is signed in, and what happened. */
export function LoginsPage() {
  const { linked } = useSearch({ strict: false }) as { linked?: unknown }
  useEffect(() => {
    if (typeof linked === 'string')
      void toast({ id: 'linked', type: 'success', content: 'The login is linked to your account' })
  }, [linked])
  return (
    <div className="max-w-[1240px]">
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
