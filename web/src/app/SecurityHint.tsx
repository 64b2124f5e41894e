import { listLogins, listSessions } from '@passport/contract/accounts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ShieldAlert, X } from 'lucide-react'
import { useState } from 'react'
import { query } from './api.ts'
import { loadChoice, storeChoice } from './stored-choice.ts'

/**
 * One security suggestion for the user, until it is dismissed in this browser; nothing without any. A dismissed
 * suggestion about sessions returns when there are more of them.
 */
export function SecurityHint({ userId }: { userId: string }) {
  const { data: logins } = useQuery(query(listLogins, {}))
  const { data: sessions } = useQuery(query(listSessions, {}))
  const storageKey = `passport.dismissed-hints.${userId}`
  const [dismissed, setDismissed] = useState(() => loadChoice(storageKey)?.split(' ') ?? [])
  if (!logins || !sessions) return null
  const others = sessions.filter(({ current }) => !current).length
  const hints = [
    ...(others > 0
      ? [
          {
            id: `sessions-${others}`,
            text: `You're signed in on ${others === 1 ? '1 other device' : `${others} other devices`}.`,
            action: 'Review sessions',
          },
        ]
      : []),
    ...(logins.length === 1
      ? [
          {
            id: 'one-login',
            text: "You have one sign-in method. Add another so you don't get locked out.",
            action: 'Add sign-in method',
          },
        ]
      : []),
  ]
  const hint = hints.find(({ id }) => !isDismissed(id, dismissed))
  if (!hint) return null
  function dismiss(id: string) {
    const all = [...dismissed, id]
    storeChoice(storageKey, all.join(' '))
    setDismissed(all)
  }
  return (
    <aside aria-label="Security" className="flex items-center gap-3 card bg-selection py-2 pr-2 pl-4">
      <ShieldAlert size={18} strokeWidth={1.75} className="shrink-0 text-stamp" />
      <p className="flex min-w-0 flex-1 flex-wrap gap-x-4">
        {hint.text}
        <Link to="/account/logins" className="link">
          {hint.action}
        </Link>
      </p>
      <button
        type="button"
        className="btn btn-small btn-ghost px-2"
        aria-label="Dismiss"
        onClick={() => dismiss(hint.id)}
      >
        <X size={16} />
      </button>
    </aside>
  )
}

/** Whether a suggestion was dismissed; one about sessions also for any lower number of them. */
export function isDismissed(id: string, dismissed: string[]): boolean {
  const [kind, number] = id.split('-')
  return dismissed.some((other) => {
    const [otherKind, otherNumber] = other.split('-')
    return other === id || (kind === 'sessions' && kind === otherKind && Number(otherNumber) >= Number(number))
  })
}
