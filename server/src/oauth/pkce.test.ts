import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPkceValue, isProvenBy, toCodeChallenge } from './pkce.ts'

// RFC 7636, appendix B.
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const verifiers = fc.stringMatching(/^[\w.~-]{43,128}$/)

describe('isPkceValue', () => {
  it.for([
    ['43 characters', 'x'.repeat(43), true],
    ['128 characters', 'x'.repeat(128), true],
    ['every allowed kind of character', `aZ09-._~${'x'.repeat(40)}`, true],
    ['42 characters', 'x'.repeat(42), false],
    ['129 characters', 'x'.repeat(129), false],
    ['a plus sign', `+${'x'.repeat(43)}`, false],
    ['a letter outside ASCII', `é${'x'.repeat(43)}`, false],
    ['a line feed at its end', `${'x'.repeat(43)}\n`, false],
    ['no text', '', false],
  ] as const)('%s: %s → %s', ([, text, expected]) => {
    expect(isPkceValue(text)).toBe(expected)
  })
})

describe('isProvenBy', () => {
  it.for([
    ['the verifier of the challenge', challenge, verifier, true],
    ['another verifier', challenge, `${verifier.slice(0, -1)}l`, false],
    ['the challenge itself', challenge, challenge, false],
    ['no verifier for a challenge', challenge, undefined, false],
    ['a verifier without a challenge', undefined, verifier, false],
    ['neither', undefined, undefined, true],
    ['a malformed verifier with its challenge', toCodeChallenge('short'), 'short', false],
  ] as const)('%s', ([, storedChallenge, presented, expected]) => {
    expect(isProvenBy(storedChallenge, presented)).toBe(expected)
  })

  it('accepts a verifier for its own challenge only', () => {
    fc.assert(
      fc.property(verifiers, verifiers, (own, other) => {
        expect(isProvenBy(toCodeChallenge(own), own)).toBe(true)
        expect(isProvenBy(toCodeChallenge(own), other)).toBe(own === other)
      }),
    )
  })
})
