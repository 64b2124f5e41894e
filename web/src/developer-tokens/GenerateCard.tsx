import { Copy, LogIn, type LucideIcon, ShieldCheck } from 'lucide-react'
import type { Ref } from 'react'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'

interface GenerateCardProps {
  /** The requested scope: names separated by spaces. */
  scope: string
  /** Draws the steps up to the first token. */
  hasSteps: boolean
  isBusy: boolean
  onGenerate: () => void
  buttonRef: Ref<HTMLButtonElement>
}

const list = new Intl.ListFormat('en-GB')

/**
 * Requests a token: redirects to a sign-in and the consent page, which return to this page. It leads the page until
 * there is a token.
 */
export function GenerateCard({ scope, hasSteps, isBusy, onGenerate, buttonRef }: GenerateCardProps) {
  return (
    <Card title="Generate a Token">
      <div
        className={`flex gap-x-8 gap-y-5 px-4 pb-[18px] sm:px-[18px] ${hasSteps ? 'flex-wrap items-center' : 'items-center max-sm:flex-col max-sm:items-start'}`}
      >
        {hasSteps && <Steps />}
        <p className={`text-ink2 ${hasSteps ? 'order-last w-full border-t border-hair pt-3.5 text-[13px]' : 'flex-1'}`}>
          The token is generated with scopes{' '}
          {list.formatToParts(scope.split(' ')).map(({ type, value }) =>
            type === 'element' ? (
              <code key={value} className="rounded border border-line bg-well px-1 font-mono text-[12.5px] text-ink">
                {value}
              </code>
            ) : (
              value
            ),
          )}
          . Clicking Generate redirects to a consent page. The token is provided after you click Allow.
        </p>
        <Button
          ref={buttonRef}
          variant={hasSteps ? 'primary' : 'plain'}
          className={hasSteps ? 'h-11 min-w-48 max-sm:w-full' : ''}
          isBusy={isBusy}
          onClick={onGenerate}
        >
          Generate Token
        </Button>
      </div>
    </Card>
  )
}

const steps: [Icon: LucideIcon, title: string][] = [
  [LogIn, 'Sign in again'],
  [ShieldCheck, 'Allow the scopes'],
  [Copy, 'Copy the token'],
]

/** The way to a token: side by side with a line from step to step, or one below the other on a narrow screen. */
function Steps() {
  return (
    <ol className="grid gap-y-0 pt-2 max-sm:w-full sm:flex-[1_1_420px] sm:grid-cols-3">
      {steps.map(([Icon, title], index) => (
        <li
          key={title}
          className="relative flex items-center gap-3.5 pb-4 before:absolute before:bg-line last:pb-0 last:before:hidden max-sm:before:top-11 max-sm:before:bottom-0 max-sm:before:left-[21px] max-sm:before:w-px sm:block sm:pr-5 sm:pb-0 sm:before:top-[21px] sm:before:right-2 sm:before:left-13 sm:before:h-px"
        >
          <span
            aria-hidden="true"
            className={`grid size-11 shrink-0 place-items-center rounded-full border ${index === 0 ? 'border-foil text-foil-text' : 'border-line text-ink2'}`}
          >
            <Icon size={19} strokeWidth={1.75} />
          </span>
          <p className="font-[560] sm:mt-2.5">
            <span className="text-ink3">{index + 1}</span> {title}
          </p>
        </li>
      ))}
    </ol>
  )
}
