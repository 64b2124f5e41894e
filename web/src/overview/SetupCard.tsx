import type { Overview } from '@passport/contract/overview'
import { Link } from '@tanstack/react-router'
import { ChevronRight, Circle, CircleCheck } from 'lucide-react'
import { useId, useState } from 'react'
import { reportWithUndo } from '../app/messages.ts'
import { loadChoice, storeChoice } from '../app/stored-choice.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { listSteps, type SetupStep } from './setup-steps.ts'

const hiddenKey = 'passport.setup-hidden'

/**
 * The first steps of an installation, until all are taken or the list is hidden in this browser. The next step is open,
 * and any other can be opened instead.
 */
export function SetupCard({ overview }: { overview: Pick<Overview, 'setup' | 'attention'> }) {
  const [isHidden, setHidden] = useState(loadChoice(hiddenKey) !== null)
  const steps = listSteps(overview)
  const [chosen, setChosen] = useState<string>()
  const done = steps.filter(({ isDone }) => isDone).length
  if (isHidden || done === steps.length) return null
  const open = chosen ?? steps.find(({ isDone }) => !isDone)?.label
  function hide() {
    storeChoice(hiddenKey, 'yes')
    setHidden(true)
    reportWithUndo('List hidden', async () => {
      storeChoice(hiddenKey, null)
      setHidden(false)
    })
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
          {steps.map((step) => (
            <li key={step.label}>
              {step.isDone ? (
                <span className="flex min-h-8 items-center gap-2.5 text-ink2">
                  <CircleCheck size={18} strokeWidth={1.75} className="shrink-0 text-ok" />
                  {step.label}
                  <span className="sr-only">(done)</span>
                </span>
              ) : (
                <Step
                  step={step}
                  isOpen={open === step.label}
                  onToggle={() => setChosen(open === step.label ? '' : step.label)}
                />
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

interface StepProps {
  step: SetupStep
  isOpen: boolean
  onToggle: () => void
}

/** A step that is not taken: its name, and when open also why and the way to it. */
function Step({ step: { label, detail, action, to, isGuide }, isOpen, onToggle }: StepProps) {
  const id = useId()
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={onToggle}
        className="group flex min-h-8 w-full items-center gap-2.5 text-left hover:underline pointer-coarse:min-h-11"
      >
        <Circle size={18} strokeWidth={1.75} className="shrink-0 text-ink3" />
        <span className="flex-1 font-[560]">{label}</span>
        <ChevronRight size={16} className="text-ink3 group-aria-expanded:rotate-90" />
      </button>
      <div id={id} hidden={!isOpen} className="pb-2 pl-7">
        <p className="mb-2 text-[13px] text-ink2">{detail}</p>
        {isGuide ? (
          <a href={to} target="_blank" rel="noreferrer" className={buttonClass('plain', true)}>
            {action}
            <span className="sr-only">(opens in a new tab)</span>
          </a>
        ) : (
          <Link to={to as never} className={buttonClass('plain', true)}>
            {action}
          </Link>
        )}
      </div>
    </>
  )
}
