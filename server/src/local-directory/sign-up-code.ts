import { randomInt } from 'node:crypto'

const digits = 6

/** The validity of a code, in minutes. */
export const codeMinutes = 10
/** The number of wrong codes after which a mail's code is no longer accepted. */
export const maxWrongCodes = 5

/** Generates a code of six digits. */
export const generateCode = (): string => String(randomInt(10 ** digits)).padStart(digits, '0')

/** Normalises a typed code, which may have spaces and hyphens; undefined for an invalid one. */
export function normaliseCode(typed: string): string | undefined {
  const code = typed.replace(/[\s\p{Dash_Punctuation}]/gu, '')
  return code.length === digits && /^[0-9]+$/.test(code) ? code : undefined
}

/** The state of a sign-up when a code arrives. */
interface CodeState {
  isConfirmed: boolean
  isCodeExpired: boolean
  wrongCodes: number
  isRight: boolean
}

/**
 * Decides about a code. A right one is accepted once and then `confirmed`, so that a form that is submitted twice
 * succeeds twice. After the last wrong code, the right one is rejected too.
 */
export function judgeCode(state: CodeState): 'confirmed' | 'expired' | 'exhausted' | 'wrong' | 'right' {
  if (state.isConfirmed) return 'confirmed'
  if (state.isCodeExpired) return 'expired'
  if (state.wrongCodes >= maxWrongCodes) return 'exhausted'
  return state.isRight ? 'right' : 'wrong'
}
