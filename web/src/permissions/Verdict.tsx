import type { CheckAnswer } from '@passport/contract/permissions'
import { Status, type Tone } from '../ui/Status.tsx'

export type Permissionship = CheckAnswer['permissionship']

const words: Record<Permissionship, { stamp: string; word: string; tone: Tone; look: string }> = {
  hasPermission: { stamp: 'Allowed', word: 'Allowed', tone: 'ok', look: 'text-ok' },
  noPermission: { stamp: 'Denied', word: 'Denied', tone: 'bad', look: 'text-bad' },
  conditional: { stamp: 'Depends', word: 'Depends', tone: 'warn', look: 'text-warn' },
}

/** A verdict in a word, and the tone of its dot. */
export const verdictWord = (permissionship: Permissionship): string => words[permissionship].word
export const verdictTone = (permissionship: Permissionship): Tone => words[permissionship].tone

/** The answer as the stamp in a passport; pressed on when it is new. */
export function Stamp({ permissionship }: { permissionship: Permissionship }) {
  const { stamp, look } = words[permissionship]
  return (
    <span
      className={`stamp inline-block rounded-[9px] border-[2.5px] border-current px-4 py-1.5 font-mono text-[22px] leading-none font-[700] tracking-[0.12em] uppercase ${look}`}
    >
      {stamp}
    </span>
  )
}

interface VerdictProps {
  permissionship: Permissionship
  /** The parameters that a conditional answer waits for. */
  missing?: readonly string[]
}

/** An answer in a row of many. */
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
