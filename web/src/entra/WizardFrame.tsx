import { Link } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { BackLink } from '../directory/BackLink.tsx'
import { usePageTitle } from '../directory/page-title.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { TenantSummary } from './TenantSummary.tsx'
import { canOpen, type EntraOrg, stepTitles, type WizardStep, wizardSteps } from './wizard.ts'

interface WizardFrameProps {
  step: WizardStep
  /** The organisation, once it exists. */
  org?: EntraOrg
  lead: string
  children: ReactNode
}

const next: Record<WizardStep, string> = {
  tenant: 'Send an administrator of the tenant a link, and wait for their consent.',
  consent: "Choose which of the tenant's groups become groups and roles here. Nobody can sign in until you enable it.",
  groups: 'Test a sign-in, then enable it.',
  review: "Users with an email on the tenant's domains sign in with Microsoft.",
}

/** The page around a step: title, the four steps, and in the rail the tenant and what follows. */
export function WizardFrame({ step, org, lead, children }: WizardFrameProps) {
  usePageTitle('Create Entra Org', 'Create Entra organisation')
  const body = useRef<HTMLDivElement>(null)
  const shownStep = useRef(step)
  // The next step begins at its heading, where the keyboard and screen readers continue.
  useEffect(() => {
    if (shownStep.current === step) return
    shownStep.current = step
    const heading = body.current?.querySelector('h2')
    heading?.setAttribute('tabindex', '-1')
    heading?.focus({ preventScroll: true })
  }, [step])
  return (
    <div>
      <div className="md:hidden">
        <BackLink to="/admin/orgs" label="Organisations" />
      </div>
      <header className="mb-5 flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          <h1>Create Entra organisation</h1>
          <p className="mt-1 text-ink2 [overflow-wrap:anywhere]">{lead}</p>
        </div>
        {org ? (
          <Link to="/admin/orgs/$orgId" params={{ orgId: org.id }} className={`${buttonClass('ghost')} max-md:hidden`}>
            {org.entra.signInEnabled ? 'Open organisation' : 'Finish later'}
          </Link>
        ) : (
          <Link to="/admin/orgs" className={`${buttonClass('ghost')} max-md:hidden`}>
            Cancel
          </Link>
        )}
      </header>
      <StepList step={step} org={org} />
      <div className="cols">
        <div ref={body} className="grid grid-cols-[minmax(0,1fr)] content-start gap-4 [&_h2]:outline-none">
          {children}
        </div>
        <div className="grid content-start gap-4">
          {org && <TenantSummary org={org} />}
          <Card title={step === 'review' ? 'Then' : 'Next'}>
            <p className="px-4 pb-4 text-ink2 sm:px-[18px]">{next[step]}</p>
          </Card>
        </div>
      </div>
    </div>
  )
}

/** The steps with the current one; those that can be opened are links. */
function StepList({ step: current, org }: { step: WizardStep; org: EntraOrg | undefined }) {
  const position = wizardSteps.indexOf(current)
  return (
    <ol aria-label="Steps" className="mb-5 flex items-center gap-3 sm:gap-5">
      {wizardSteps.map((step, index) => {
        const isCurrent = step === current
        const content = (
          <>
            <StepMark number={index + 1} state={isCurrent ? 'current' : index < position ? 'done' : 'later'} />
            <span className={isCurrent ? 'font-[620] text-ink' : 'max-md:sr-only'}>{stepTitles[step]}</span>
          </>
        )
        return (
          <li
            key={step}
            aria-current={isCurrent ? 'step' : undefined}
            className="flex items-center gap-3 whitespace-nowrap text-ink2 not-last:flex-1 sm:gap-5"
          >
            {org && !isCurrent && canOpen(step, org.entra) ? (
              <Link
                to="/admin/orgs/createentra"
                search={{ org: org.id, step } as never}
                className="flex items-center gap-2.5 hover:text-ink pointer-coarse:min-h-11"
              >
                {content}
              </Link>
            ) : (
              <span className="flex items-center gap-2.5">{content}</span>
            )}
            {index < wizardSteps.length - 1 && <span aria-hidden="true" className="h-px min-w-2 flex-1 bg-line" />}
          </li>
        )
      })}
    </ol>
  )
}

function StepMark({ number, state }: { number: number; state: 'done' | 'current' | 'later' }) {
  const colors = {
    done: 'bg-ok text-card',
    current: 'bg-act text-on-act',
    later: 'border border-edge text-ink2',
  }
  return (
    <span className={`grid size-7 shrink-0 place-items-center rounded-full text-[13px] font-[620] ${colors[state]}`}>
      {state === 'done' ? <Check size={15} role="img" aria-label="Done" /> : number}
    </span>
  )
}

interface StepFootProps {
  onBack?: () => void
  action: string
  isBusy?: boolean
  isBlocked?: boolean
  /** False where another button of the step is the primary one. */
  isPrimary?: boolean
  onContinue: () => void
}

/** Back and the primary button at the foot of a step. */
export const StepFoot = ({
  onBack,
  action,
  isBusy = false,
  isBlocked = false,
  isPrimary = true,
  onContinue,
}: StepFootProps) => (
  <div className="flex justify-between gap-3">
    {onBack ? <Button onClick={onBack}>Back</Button> : <span />}
    <Button variant={isPrimary ? 'primary' : 'plain'} isBusy={isBusy} disabled={isBlocked} onClick={onContinue}>
      {action}
    </Button>
  </div>
)
