import type { SetupState } from '@passport/contract/setup'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { setupToken } from '../app/address-secrets.ts'
import { toFailure } from '../app/api.ts'
import { SupportLine } from '../app/SupportLine.tsx'
import { StepList, useStepFocus } from '../entra/StepList.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Identicon } from '../ui/Identicon.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { ConsentStep } from './ConsentStep.tsx'
import { codeOf, setupQuery } from './call.ts'
import { GroupsStep } from './GroupsStep.tsx'
import { ProvisioningStep } from './ProvisioningStep.tsx'
import { canOpen, findShownStep, type SetupStep, setupSteps, stepTitles } from './steps.ts'
import { TestStep } from './TestStep.tsx'

/** The page of a set-up link: a customer's administrator connects their tenant, step by step. The step is in the address. */
export function SetupPage() {
  // Another link that is opened in this tab changes only the fragment.
  useEffect(() => {
    const reload = () => location.reload()
    addEventListener('hashchange', reload)
    return () => removeEventListener('hashchange', reload)
  }, [])
  const setup = useQuery(setupQuery)
  const end = findEnd(codeOf(setup.error))
  if (end) return <Ended title={end}>{toFailure(setup.error).detail}</Ended>
  if (setup.data) return <Steps state={setup.data} />
  return (
    <Sheet>
      {setup.error ? (
        <ErrorCard failure={toFailure(setup.error)} onRetry={() => void setup.refetch()} />
      ) : (
        <Skeleton label="Opening the link" rows={4} />
      )}
    </Sheet>
  )
}

const ends: Record<string, string> = {
  'setup-link-required': 'Open your set-up link',
  'setup-link-unknown': 'Unknown set-up link',
  'setup-link-used': 'Opened in another browser',
  'setup-link-expired': 'The link has expired',
  'setup-link-revoked': 'The link was revoked',
  'setup-link-ended': 'The set-up has ended',
}

/** Returns the title of the page that explains why there is no set-up; undefined for other errors. */
const findEnd = (code: string | undefined): string | undefined => (code === undefined ? undefined : ends[code])

/** The sheet of a link that cannot be used. */
const Sheet = ({ children }: { children: ReactNode }) => (
  <div className="w-full max-w-[460px]">
    <div className="card px-6 py-9">{children}</div>
    <SupportLine />
  </div>
)

const Ended = ({ title, children }: { title: string; children: ReactNode }) => (
  <Sheet>
    <div className="grid justify-items-center text-center">
      <Identicon seed="setup" size={64} isGold />
      <h1 className="mt-4 break-words">{title}</h1>
      <p role="alert" className="mt-2 text-ink2 [overflow-wrap:anywhere]">
        {children}
      </p>
    </div>
  </Sheet>
)

const timeFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

function Steps({ state }: { state: SetupState & { isReopened?: boolean } }) {
  const search = useSearch({ strict: false }) as Record<string, unknown>
  const navigate = useNavigate()
  const step = findShownStep(search, state)
  const body = useStepFocus(step)
  const { org, brand, tenant, expiresAt } = state
  const go = (step: SetupStep) => void navigate({ to: '/setup' as never, search: { step } as never })
  const Step = { consent: ConsentStep, groups: GroupsStep, provisioning: ProvisioningStep, test: TestStep }[step]
  return (
    <div className="w-full max-w-[720px] self-start py-5">
      <header className="mb-6">
        <p className="mb-5 flex h-9 items-center gap-2.5 font-[640]">
          {brand.logoUrl ? (
            <img src={brand.logoUrl} alt="" className="h-9 max-w-44 object-contain" />
          ) : (
            <Identicon seed="stage" size={28} isGold />
          )}
          {brand.name}
        </p>
        <h1 className="[overflow-wrap:anywhere]">Set up {org.name}</h1>
        <p className="mt-1 text-ink2 [overflow-wrap:anywhere]">
          Connect the Microsoft Entra tenant {tenant.defaultDomain ?? tenant.displayName} to {brand.name}. In this
          browser until {timeFormat.format(new Date(expiresAt))}.
        </p>
        {setupToken !== '' && state.isReopened && (
          <p role="status" className="mt-2 text-ok">
            You opened this link before. Continue where you left off.
          </p>
        )}
      </header>
      <StepList
        steps={setupSteps}
        titles={stepTitles}
        current={step}
        linkTo={(step) => (canOpen(step, state) ? { to: '/setup', search: { step } } : undefined)}
      />
      <div ref={body} className="grid grid-cols-[minmax(0,1fr)] content-start gap-4 [&_h2]:outline-none">
        <Step state={state} onGo={go} />
      </div>
      <SupportLine />
    </div>
  )
}
