import type { CheckResult } from '@passport/contract/permissions'
import { Check, CircleHelp, Clock, type LucideIcon, X } from 'lucide-react'
import { Status, type Tone } from '../ui/Status.tsx'

export type Permissionship = CheckResult['permissionship']

const words: Record<Permissionship, { word: string; sign: LucideIcon; tone: Tone; className: string }> = {
  hasPermission: { word: 'Allowed', sign: Check, tone: 'ok', className: 'text-ok' },
  noPermission: { word: 'Denied', sign: X, tone: 'off', className: 'text-bad' },
  conditional: { word: 'Depends', sign: CircleHelp, tone: 'warn', className: 'text-warn' },
}

/** Formats a verdict: “Allowed”, “Denied” or “Depends”. */
export const formatVerdict = (permissionship: Permissionship): string => words[permissionship].word

/** A compact verdict; its word is only for screen readers. */
export function VerdictSign({ permissionship }: { permissionship: Permissionship }) {
  const { word, sign: Sign, className } = words[permissionship]
  return (
    <span className={`mt-1 inline-flex shrink-0 ${className}`}>
      <Sign size={14} strokeWidth={2.5} aria-hidden="true" />
      <span className="sr-only">{word}: </span>
    </span>
  )
}

/** A verdict in a matrix: a tile with a sign, and its word for screen readers. */
export function VerdictMark({ permissionship }: { permissionship: Permissionship }) {
  const { word, sign, className } = words[permissionship]
  const Sign = permissionship === 'conditional' ? Clock : sign
  return (
    <span
      className={`grid size-[26px] place-items-center rounded-[7px] bg-[color-mix(in_oklab,currentColor_12%,transparent)] group-hover:bg-[color-mix(in_oklab,currentColor_22%,transparent)] group-aria-expanded:outline-2 group-aria-expanded:outline-current ${className}`}
    >
      <Sign size={15} strokeWidth={2.2} aria-hidden="true" />
      <span className="sr-only">{word}</span>
    </span>
  )
}

/** The answer as a passport stamp, animated when new. */
export function Stamp({ permissionship }: { permissionship: Permissionship }) {
  const { word, className } = words[permissionship]
  return (
    <span
      className={`stamp inline-block rounded-[8px] border-[2.5px] border-current px-4.5 py-2 font-mono text-[24px] leading-none font-[700] tracking-[0.1em] uppercase shadow-[inset_0_0_0_2px_var(--card),inset_0_0_0_3px_currentColor] ${className}`}
    >
      {word}
    </span>
  )
}

interface VerdictProps {
  permissionship: Permissionship
  /** The caveat parameters that a conditional answer depends on. */
  missing?: readonly string[]
}

/** A verdict in a row. */
export function Verdict({ permissionship, missing = [] }: VerdictProps) {
  const { word, tone } = words[permissionship]
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-1.5">
      <Status tone={tone}>{word}</Status>
      {permissionship === 'conditional' && missing.length > 0 && (
        <span className="text-ink2">
          on <code className="font-mono text-[12.5px] [overflow-wrap:anywhere]">{missing.join(', ')}</code>
        </span>
      )}
    </span>
  )
}
