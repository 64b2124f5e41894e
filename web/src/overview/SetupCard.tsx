import type { Overview } from '@passport/contract/overview'
import { Link } from '@tanstack/react-router'
import { ChevronRight, Circle, CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { loadChoice, storeChoice } from '../app/stored-choice.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'

const hiddenKey = 'passport.setup-hidden'

/** The first steps of an installation, until they are taken or the list is hidden in this browser. */
export function SetupCard({ setup }: { setup: Overview['setup'] }) {
  const [isHidden, setHidden] = useState(loadChoice(hiddenKey) !== null)
  const steps = [
    { label: 'Invite someone', to: '/admin/users/invitations/create', isDone: setup.hasInvited },
    { label: 'Register an application', to: '/admin/identity/clients/create', isDone: setup.hasClient },
    { label: 'Create a group', to: '/admin/groups/create', isDone: setup.hasGroup },
    { label: 'Load the sample permissions', to: '/admin/tools/permissions', isDone: setup.hasPermissions },
  ]
  const done = steps.filter(({ isDone }) => isDone).length
  if (isHidden || done === steps.length) return null
  function hide() {
    storeChoice(hiddenKey, 'yes')
    setHidden(true)
  }
  return (
    <Card
      title="Get started"
      action={
        <span className="text-[13px] text-ink3">
          {done} of {steps.length}
        </span>
      }
    >
      <div className="px-4 pb-3 sm:px-[18px]">
        <div
          role="progressbar"
          aria-label="Setup"
          aria-valuemin={0}
          aria-valuenow={done}
          aria-valuemax={steps.length}
          className="mb-2 h-1.5 overflow-hidden rounded-full bg-line"
        >
          <div className="h-full rounded-full bg-foil" style={{ width: `${(done / steps.length) * 100}%` }} />
        </div>
        <ul>
          {steps.map(({ label, to, isDone }) => (
            <li key={label}>
              {isDone ? (
                <span className="flex min-h-8 items-center gap-2.5 text-ink2">
                  <CircleCheck size={18} strokeWidth={1.75} className="shrink-0 text-ok" />
                  {label}
                  <span className="sr-only">(done)</span>
                </span>
              ) : (
                <Link
                  to={to as never}
                  className="flex min-h-8 items-center gap-2.5 hover:underline pointer-coarse:min-h-11"
                >
                  <Circle size={18} strokeWidth={1.75} className="shrink-0 text-ink3" />
                  <span className="flex-1 font-[560]">{label}</span>
                  <ChevronRight size={16} className="text-ink3" />
                </Link>
              )}
            </li>
          ))}
        </ul>
        <Button isSmall variant="ghost" className="mt-1 -ml-2.5" onClick={hide}>
          Hide this list
        </Button>
      </div>
    </Card>
  )
}
