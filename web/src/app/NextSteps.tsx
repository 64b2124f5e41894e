import type { CurrentUser } from '@passport/contract/current-user'
import { Link } from '@tanstack/react-router'
import {
  KeySquare,
  type LucideIcon,
  MonitorSmartphone,
  ShieldCheck,
  TabletSmartphone,
  UsersRound,
  X,
} from 'lucide-react'
import { useState } from 'react'
import { buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { useCopy } from '../ui/use-copy.ts'
import { loadChoice, storeChoice } from './stored-choice.ts'

interface Step {
  /** Its name in the list of dismissed steps. */
  id: string
  icon: LucideIcon
  title: string
  detail: string
  action: string
  /** The page of the step; without one, the step copies a request for access. */
  to?: string
}

interface NextStepsProps {
  user: CurrentUser
  /** Undefined if they could not be loaded. */
  loginCount: number | undefined
  sessionCount: number | undefined
}

/** What a user can do next, except the steps that the user dismissed in this browser. */
export function NextSteps({ user, loginCount, sessionCount = 1 }: NextStepsProps) {
  const key = `passport.dismissed-hints.${user.claims.sub}`
  const [dismissed, setDismissed] = useState(() => loadChoice(key) ?? '')
  const steps = listSteps(user, loginCount, sessionCount - 1).filter(({ id }) => !dismissed.includes(id))
  if (steps.length === 0) return null
  function dismiss(id: string) {
    storeChoice(key, `${dismissed} ${id}`)
    setDismissed(`${dismissed} ${id}`)
  }
  return (
    <Card title="Next steps">
      <ul className="pb-1">
        {steps.map(({ id, icon: Icon, title, detail, action, to }, index) => (
          <li
            key={id}
            className="grid grid-cols-[18px_minmax(0,1fr)_auto] items-center gap-x-3.5 gap-y-1.5 border-t border-hair px-4 py-2.5 first:border-0 sm:grid-cols-[18px_minmax(0,1fr)_auto_auto] sm:px-[18px]"
          >
            <Icon size={18} strokeWidth={1.75} className="text-foil-text" />
            <div>
              <p className="font-[580]">{title}</p>
              <p className="text-[13px] text-ink2">{detail}</p>
            </div>
            <span className="max-sm:col-start-2 max-sm:row-start-2">
              {to ? (
                <Link to={to} className={buttonClass(index === 0 ? 'primary' : 'plain', true)}>
                  {action}
                </Link>
              ) : (
                <CopyRequest user={user} label={action} />
              )}
            </span>
            <button
              type="button"
              aria-label={`Dismiss “${title}”`}
              className="btn btn-small btn-ghost -mr-2 -ml-3 text-ink3 max-sm:col-start-3 max-sm:row-start-1"
              onClick={() => dismiss(id)}
            >
              <X size={15} />
            </button>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function listSteps({ roles, orgs }: CurrentUser, loginCount: number | undefined, otherSessions: number): Step[] {
  const role: Step = {
    id: 'role',
    icon: ShieldCheck,
    title: 'Ask for access',
    detail: 'Apps open with a role. Send the request to an administrator.',
    action: 'Copy request',
  }
  const login: Step = {
    id: 'login',
    icon: KeySquare,
    title: 'Add a sign-in method',
    detail: 'You have one sign-in method. A second one keeps you from being locked out.',
    action: 'Add',
    to: '/account/logins',
  }
  const devices = otherSessions === 1 ? '1 other device' : `${otherSessions} other devices`
  const session: Step = {
    id: 'sessions',
    icon: MonitorSmartphone,
    title: 'Check your devices',
    detail: `You're signed in on ${devices}.`,
    action: 'Review',
    to: '/account/logins',
  }
  const team: Step = {
    id: 'team',
    icon: UsersRound,
    title: 'Bring your team together',
    detail: 'Create a group and invite others with a join link.',
    action: 'Create group',
    to: '/account/groups/create',
  }
  const device: Step = {
    id: 'device',
    icon: TabletSmartphone,
    title: 'Sign in a device',
    detail: 'Enter the code that a TV, headset or terminal shows.',
    action: 'Enter code',
    to: '/device',
  }
  return [
    ...(roles.length === 0 ? [role] : []),
    ...(loginCount === 1 ? [login] : []),
    ...(otherSessions > 0 ? [session] : []),
    ...(orgs.length === 0 ? [team] : []),
    device,
  ]
}

/** Copies the sentence that names the user to an administrator. */
function CopyRequest({ user: { claims }, label }: { user: CurrentUser; label: string }) {
  const { sub, name = claims.preferred_username, email } = claims
  const { isCopied, copy } = useCopy(
    `Please give ${name ?? 'me'} a role in ${location.host}: ${email ? `${email}, ` : ''}ID ${sub}`,
  )
  return (
    <button type="button" className={buttonClass('primary', true)} onClick={copy} aria-live="polite">
      {isCopied ? 'Copied' : label}
    </button>
  )
}
