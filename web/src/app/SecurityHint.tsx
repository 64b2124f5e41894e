import { listLogins, listSessions } from '@passport/contract/accounts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { query } from './api.ts'
import { loadChoice, storeChoice } from './stored-choice.ts'

/** Shows at most one security suggestion, until the user dismisses it in this browser. */
export function SecurityHint({ userId }: { userId: string }) {
  const { data: logins } = useQuery(query(listLogins, {}))
  const { data: sessions } = useQuery(query(listSessions, {}))
  const key = `passport.dismissed-hints.${userId}`
  const [dismissed, setDismissed] = useState(() => loadChoice(key) ?? '')
  const others = sessions?.filter(({ current }) => !current).length ?? 0
  const hints: Record<string, string | false> = {
    sessions: others > 0 && `You're signed in on ${others === 1 ? '1 other device' : `${others} other devices`}.`,
    login: logins?.length === 1 && "You have one sign-in method. Add another so you don't get locked out.",
  }
  const shown = Object.keys(hints).find((kind) => hints[kind] && !dismissed.includes(kind))
  if (!shown || !logins) return null
  function dismiss() {
    storeChoice(key, `${dismissed} ${shown}`)
    setDismissed(`${dismissed} ${shown}`)
  }
  return (
    <aside aria-label="Security" className="flex flex-wrap items-center gap-x-4 card py-2 pr-2 pl-4">
      <p className="flex min-w-0 flex-1 flex-wrap gap-x-4">
        {hints[shown]}
        <Link to="/account/logins" className="link">
          Go to account
        </Link>
      </p>
      <button type="button" className="btn btn-small btn-ghost" onClick={dismiss}>
        Dismiss
      </button>
    </aside>
  )
}
