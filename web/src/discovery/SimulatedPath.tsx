import type { SignInDecision } from '@passport/contract/tenant-discovery'
import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { useProviderName } from '../app/provider-names.ts'
import { Status } from '../ui/Status.tsx'
import { describeOutcome, nameDecisionReason, ruleNames, ruleQuestions } from './outcomes.ts'

const pathClass = 'grid gap-2 px-4 py-4 sm:px-[18px] nav:auto-cols-[minmax(0,1fr)] nav:grid-flow-col nav:gap-7'

/** The path that every decision takes. */
export const RulePath = () => (
  <ol aria-label="Rules" className={pathClass}>
    {ruleQuestions.map(([name, question], index) => (
      <Step key={name}>
        <Rule number={index + 1} {...{ name, question }} />
      </Step>
    ))}
    <Step isLast>
      <Rule number={ruleQuestions.length + 1} name="Sign-in" question="At the tenant, a provider, or by choice" />
    </Step>
  </ol>
)

const Rule = ({ number, name, question }: { number: number; name: string; question: string }) => (
  <>
    <span className="font-[600]">
      <span className="mr-1.5 text-ink3">{number}</span>
      {name}
    </span>
    <span className="block text-[13px] text-ink2">{question}</span>
  </>
)

/** The decision about one email address as a path: each rule with its result, and the outcome at the end. */
export function SimulatedPath({ result }: { result: SignInDecision }) {
  const nameProvider = useProviderName()
  const [tone, label] = describeOutcome(result)
  const { org, provider, outcome } = result
  return (
    <ol aria-label={`Decision about ${result.email}`} className={pathClass}>
      {result.steps.map((step) => (
        <Step key={step.rule} title={ruleNames[step.rule]}>
          {step.result}
        </Step>
      ))}
      <Step isLast title="Sign-in">
        <Status tone={tone}>
          <span className="font-[620]">{label}</span>
        </Status>
        <span className="block text-[13px] text-ink2">
          {outcome === 'entra' && org && (
            <Link to="/admin/orgs/$orgId" params={{ orgId: org.id }} className="link">
              {org.name}
            </Link>
          )}
          {outcome === 'provider' && provider && nameProvider(provider)}
          {nameDecisionReason(result)}
        </span>
      </Step>
    </ol>
  )
}

/** A box of the path; an arrow leads to the next one, to the right or, on a narrow screen, down. */
const Step = ({ title, isLast = false, children }: { title?: string; isLast?: boolean; children: ReactNode }) => (
  <li
    className={`relative min-w-0 rounded-ctl border px-3 py-2.5 max-nav:not-last:mb-4 ${isLast ? 'border-foil bg-card' : 'border-line bg-well'}`}
  >
    {title && <p className="text-[12px] text-ink3">{title}</p>}
    <div className="[overflow-wrap:anywhere]">{children}</div>
    {!isLast && (
      <ArrowRight
        size={15}
        aria-hidden="true"
        className="absolute text-ink3 max-nav:-bottom-5.5 max-nav:left-1/2 max-nav:rotate-90 nav:top-1/2 nav:-right-[22px] nav:-translate-y-1/2"
      />
    )}
  </li>
)
