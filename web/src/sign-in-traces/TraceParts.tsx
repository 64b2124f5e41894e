import type { SignInTrace, TracePart, TraceStep } from '@passport/contract/sign-in-traces'
import { Link } from '@tanstack/react-router'
import { Check, X } from 'lucide-react'
import { Card } from '../ui/Card.tsx'
import { listDetails, nameStep, partNames } from './trace-words.ts'

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

/** The requests of a sign-in, oldest first, each with its steps. The one with the searched code is marked. */
export function TraceParts({ trace: { parts, supportCode } }: { trace: SignInTrace }) {
  const count = parts.reduce((total, { steps }) => total + steps.length, 0)
  return (
    <Card
      title="Step by step"
      action={
        <span className="text-[13px] text-ink3">
          {count} steps in {parts.length === 1 ? '1 request' : `${parts.length} requests`}
        </span>
      }
    >
      <ol className="pb-3">
        {parts.map((part) => (
          <Part key={part.id} part={part} searched={supportCode} isOnly={parts.length === 1} />
        ))}
      </ol>
    </Card>
  )
}

function Part({ part, searched, isOnly }: { part: TracePart; searched: string; isOnly: boolean }) {
  const { kind, at, supportCode, steps } = part
  const isSearched = supportCode === searched
  return (
    <li
      aria-current={isSearched || undefined}
      className="border-t border-hair px-4 pt-2.5 pb-2 first:border-0 sm:px-[18px]"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <h3 className="text-[13px] font-[620]">
          {partNames[kind]}
          {isSearched && !isOnly && (
            <span className="ml-2 rounded-md bg-selection px-1.5 py-0.5 text-[12px] font-[500]">This code</span>
          )}
        </h3>
        <span className="text-[12px] text-ink3">
          <time dateTime={at}>{clock.format(new Date(at))}</time>
          {!isSearched && (
            <>
              {' · '}
              <Link
                to="/admin/audit/signins/trace"
                search={{ q: supportCode } as never}
                className="font-mono hover:underline"
              >
                {supportCode}
              </Link>
            </>
          )}
        </span>
      </div>
      <ol className="mt-1">
        {steps.map((step, index) => (
          <Step key={index} step={step} startedAt={at} isLast={index === steps.length - 1} />
        ))}
      </ol>
    </li>
  )
}

function Step({ step, startedAt, isLast }: { step: TraceStep; startedAt: string; isLast: boolean }) {
  const { isFailed } = step
  const details = listDetails(step)
  const ms = Date.parse(step.at) - Date.parse(startedAt)
  return (
    <li className="relative flex gap-3 py-1">
      {!isLast && <span aria-hidden="true" className="absolute top-6 bottom-[-4px] left-[8.5px] w-px bg-line" />}
      <span
        className={`mt-[1.5px] grid size-[18px] shrink-0 place-items-center rounded-full ${isFailed ? 'bg-bad text-card' : 'bg-well text-ok ring-1 ring-line'}`}
      >
        {isFailed ? (
          <X size={12} strokeWidth={2.75} aria-hidden="true" />
        ) : (
          <Check size={12} strokeWidth={2.75} aria-hidden="true" />
        )}
        <span className="sr-only">{isFailed ? 'Failed: ' : 'Passed: '}</span>
      </span>
      <div className="min-w-0 flex-1 sm:flex sm:gap-4">
        <span className={`sm:w-52 sm:shrink-0 ${isFailed ? 'font-[620] text-bad' : ''}`}>{nameStep(step)}</span>
        <span className="block min-w-0 flex-1 text-[13px] leading-5 text-ink2 [overflow-wrap:anywhere]">
          {details.map(([name, value], index) => (
            <span key={name} className={isFailed ? 'block' : ''}>
              {index > 0 && !isFailed && ' · '}
              <span className="text-ink3">{name}</span> <span className={isFailed ? 'text-ink' : ''}>{value}</span>
            </span>
          ))}
        </span>
      </div>
      <span className="shrink-0 text-[12px] leading-5 text-ink3">
        {ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`}
      </span>
    </li>
  )
}
