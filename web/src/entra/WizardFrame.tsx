import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { BackLink } from '../directory/BackLink.tsx'
import { PageMenu } from '../directory/PageMenu.tsx'
import { usePageTitle } from '../directory/page-title.ts'
import { buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { StepList, useStepFocus } from './StepList.tsx'
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
  const body = useStepFocus(step)
  return (
    <div>
      <div className="md:hidden">
        <BackLink to="/admin/orgs" label="Organisations" />
      </div>
      <header className="mb-5 flex items-center justify-between gap-3">
        <div className="min-w-0">
          <h1>Create Entra organisation</h1>
          <p className="mt-1 text-ink2 [overflow-wrap:anywhere]">{lead}</p>
        </div>
        <div className="flex gap-2">
          {org ? (
            <Link
              to="/admin/orgs/$orgId"
              params={{ orgId: org.id }}
              className={`${buttonClass('ghost')} max-md:hidden`}
            >
              {org.entra.signInEnabled ? 'Open organisation' : 'Finish later'}
            </Link>
          ) : (
            <Link to="/admin/orgs" className={`${buttonClass('ghost')} max-md:hidden`}>
              Cancel
            </Link>
          )}
          <PageMenu />
        </div>
      </header>
      <StepList
        steps={wizardSteps}
        titles={stepTitles}
        current={step}
        linkTo={(step) =>
          org && canOpen(step, org.entra) ? { to: '/admin/orgs/createentra', search: { org: org.id, step } } : undefined
        }
      />
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
