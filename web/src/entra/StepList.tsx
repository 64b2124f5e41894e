import { Link } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { type RefObject, useEffect, useRef } from 'react'
import { Button } from '../ui/Button.tsx'

interface StepListProps<Step extends string> {
  steps: readonly Step[]
  titles: Record<Step, string>
  current: Step
  /** Returns the link to a step; undefined if it cannot be opened. */
  linkTo: (step: Step) => { to: string; search: Record<string, string> } | undefined
}

/** The steps of a set-up with the current one; those that can be opened are links. */
export function StepList<Step extends string>({ steps, titles, current, linkTo }: StepListProps<Step>) {
  const position = steps.indexOf(current)
  return (
    <ol aria-label="Steps" className="mb-5 flex items-center gap-3 sm:gap-5">
      {steps.map((step, index) => {
        const isCurrent = step === current
        const link = isCurrent ? undefined : linkTo(step)
        const content = (
          <>
            <StepMark number={index + 1} state={isCurrent ? 'current' : index < position ? 'done' : 'later'} />
            <span className={isCurrent ? 'font-[620] text-ink' : 'max-md:sr-only'}>{titles[step]}</span>
          </>
        )
        return (
          <li
            key={step}
            aria-current={isCurrent ? 'step' : undefined}
            className="flex items-center gap-3 whitespace-nowrap text-ink2 not-last:flex-1 sm:gap-5"
          >
            {link ? (
              <Link
                to={link.to as never}
                search={link.search as never}
                className="flex items-center gap-2.5 hover:text-ink pointer-coarse:min-h-11"
              >
                {content}
              </Link>
            ) : (
              <span className="flex items-center gap-2.5">{content}</span>
            )}
            {index < steps.length - 1 && <span aria-hidden="true" className="h-px min-w-2 flex-1 bg-line" />}
          </li>
        )
      })}
    </ol>
  )
}

/** Moves the focus to the heading of the next step, where the keyboard and screen readers continue. */
export function useStepFocus(step: string): RefObject<HTMLDivElement | null> {
  const body = useRef<HTMLDivElement>(null)
  const shownStep = useRef(step)
  useEffect(() => {
    if (shownStep.current === step) return
    shownStep.current = step
    const heading = body.current?.querySelector('h2')
    heading?.setAttribute('tabindex', '-1')
    heading?.focus({ preventScroll: true })
  }, [step])
  return body
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
  /** The label of the primary button; without one there is none. */
  action?: string
  isBusy?: boolean
  isBlocked?: boolean
  /** False where another button of the step is the primary one. */
  isPrimary?: boolean
  onContinue?: () => void
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
    {action && (
      <Button variant={isPrimary ? 'primary' : 'plain'} isBusy={isBusy} disabled={isBlocked} onClick={onContinue}>
        {action}
      </Button>
    )}
  </div>
)
