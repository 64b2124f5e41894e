import { consentFailures } from '@passport/contract/org-entra'
import { expect, test } from 'vitest'
import { explainFailure, findLinkState, formatRest, writeMail } from './consent-link.ts'

const expiresAt = '2026-11-23T11:00:00.000Z'
const before = Date.parse('2026-11-23T10:18:30.000Z')
const link = { consentUrl: 'https://login.example/adminconsent?state=s', expiresAt }

test('a link is shown only where it is kept and until it expires', () => {
  const state = (kept: typeof link | undefined, now: number) =>
    findLinkState({ consentLinkExpiresAt: expiresAt }, kept, now)
  expect(state(link, before)).toBe('shown')
  expect(state(link, Date.parse(expiresAt) - 1)).toBe('shown')
  expect(state(link, Date.parse(expiresAt))).toBe('expired')
  expect(state(undefined, before)).toBe('hidden')
  // Another tab has created a newer link.
  expect(state({ ...link, expiresAt: '2026-11-23T10:30:00.000Z' }, before)).toBe('hidden')
  expect(findLinkState({ consentLinkExpiresAt: null }, link, before)).toBe('none')
})

test('the rest of a deadline is in minutes and seconds, never negative', () => {
  expect(formatRest(expiresAt, before)).toBe('41:30')
  expect(formatRest(expiresAt, Date.parse(expiresAt) - 4_001)).toBe('0:05')
  expect(formatRest(expiresAt, Date.parse(expiresAt) + 1)).toBe('0:00')
})

test('each failure has its own sentence, and a missing permission is named', () => {
  const sentences = consentFailures.map((code) => explainFailure(code))
  expect(new Set(sentences).size).toBe(consentFailures.length)
  expect(sentences).not.toContain(explainFailure('unknown'))
  expect(explainFailure('proof-failed', 'Organization.Read.All')).toContain('Organization.Read.All')
})

test('the mail has the link, its expiry and the tenant', () => {
  const mail = writeMail({ displayName: 'Contoso' }, link, 'Stage Passport')
  expect(mail).toContain(link.consentUrl)
  expect(mail).toContain('23 Nov 2026, 11:00 UTC')
  expect(mail).toContain('Contoso')
})
