import type { Overview } from '@passport/contract/overview'
import { Link } from '@tanstack/react-router'
import {
  Activity,
  CircleCheck,
  Globe,
  Hourglass,
  KeyRound,
  Lock,
  type LucideIcon,
  MailWarning,
  ShieldAlert,
  UserCheck,
} from 'lucide-react'
import { describeCheck } from '../directory/check-words.ts'
import { buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { formatDay } from '../ui/format-day.ts'
import { findSpike } from './figures.ts'

/** A task for an administrator, with the page where it is done. */
interface Task {
  icon: LucideIcon
  tone: 'text-bad' | 'text-warn'
  title: string
  detail: string
  action: string
  to: string
  search?: Record<string, string>
}

/** The tasks of administrators, most urgent first. */
export function AttentionCard({ overview }: { overview: Overview }) {
  const tasks = listTasks(overview)
  return (
    <Card title="Needs attention">
      {tasks.length === 0 && (
        <p className="flex items-center gap-2.5 px-4 pb-4 text-ink2 sm:px-[18px]">
          <CircleCheck size={18} strokeWidth={1.75} className="shrink-0 text-ok" /> Nothing needs attention
        </p>
      )}
      <ul>
        {tasks.map(({ icon: Icon, tone, title, detail, action, to, search = {} }) => (
          <li
            key={title}
            className="flex items-center gap-3 border-t border-hair px-4 py-2 first:border-0 sm:px-[18px]"
          >
            <Icon size={18} strokeWidth={1.75} className={`shrink-0 ${tone}`} />
            <p className="min-w-0 flex-1">
              <span className="block font-[540]">{title}</span>
              <span className="block truncate text-[13px] text-ink2">{detail}</span>
            </p>
            <Link
              to={to as never}
              search={search as never}
              className={buttonClass('plain', true)}
              aria-label={`${action}: ${title}`}
            >
              {action}
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const count = (number: number, one: string, many: string) => (number === 1 ? `1 ${one}` : `${number} ${many}`)

/** Returns the tasks of an overview, most urgent first. */
export function listTasks({ attention, days }: Overview): Task[] {
  const {
    administrators,
    claimedInvitations,
    undeliveredInvitations,
    undeliveredMails,
    expiringInvitations,
    failingDomains,
    locks,
    checks,
  } = attention
  const invitations = '/admin/users/invitations'
  const spike = findSpike(days)
  const down = checks.filter(({ status }) => status === 'down')
  const tasks: (Task | false | undefined)[] = [
    checks.length > 0 && {
      icon: Activity,
      tone: down.length > 0 ? 'text-bad' : 'text-warn',
      title: down.length > 0 ? `${count(down.length, 'dependency is', 'dependencies are')} down` : 'Slow dependencies',
      detail: checks.map(({ name }) => describeCheck(name, (id) => id).title).join(', '),
      action: 'View',
      to: '/admin/health',
    },
    spike && {
      icon: ShieldAlert,
      tone: 'text-bad',
      title: `${spike.failed} failed sign-ins on ${formatDay(spike.day)}`,
      detail: 'More than three times as many as usual',
      action: 'View',
      to: '/admin/audit/signins',
      search: { result: 'failed', from: spike.day, to: spike.day },
    },
    locks > 0 && {
      icon: Lock,
      tone: 'text-bad',
      title: `${count(locks, 'account', 'accounts')} locked`,
      detail: 'After too many wrong passwords, in 24 hours',
      action: 'View',
      to: '/admin/audit',
      search: { action: 'directory.locked' },
    },
    ...failingDomains.map(
      ({ domain, orgId, orgName }): Task => ({
        icon: Globe,
        tone: 'text-bad',
        title: `${domain} is no longer verified`,
        detail: `DNS record missing, ${orgName}`,
        action: 'Open',
        to: `/admin/orgs/${encodeURIComponent(orgId)}/domains`,
      }),
    ),
    claimedInvitations > 0 && {
      icon: UserCheck,
      tone: 'text-warn',
      title: `${count(claimedInvitations, 'invitation waits', 'invitations wait')} for you`,
      detail: 'Opened with another email',
      action: 'Confirm',
      to: invitations,
      search: { status: 'awaiting-confirmation' },
    },
    undeliveredInvitations > 0 && {
      icon: MailWarning,
      tone: 'text-warn',
      title: `${count(undeliveredInvitations, 'invitation', 'invitations')} not delivered`,
      detail: 'The email was rejected',
      action: 'Resend',
      to: invitations,
    },
    undeliveredMails > 0 && {
      icon: MailWarning,
      tone: 'text-warn',
      title: `${count(undeliveredMails, 'email', 'emails')} not delivered`,
      detail: 'You can send them again',
      action: 'View',
      to: '/admin/mail',
      search: { state: 'failed' },
    },
    expiringInvitations > 0 && {
      icon: Hourglass,
      tone: 'text-warn',
      title: `${count(expiringInvitations, 'invitation expires', 'invitations expire')} soon`,
      detail: 'Within 3 days',
      action: 'View',
      to: invitations,
      search: { status: 'sent' },
    },
    administrators === 1 && {
      icon: KeyRound,
      tone: 'text-warn',
      title: 'Only one administrator',
      detail: 'Nobody else can restore access',
      action: 'Add',
      to: '/admin/roles/Passport.Admin',
    },
  ]
  return tasks.filter((task) => task !== false && task !== undefined)
}
