import type { OrgEntra } from '@passport/contract/org-entra'
import { describe, expect, test } from 'vitest'
import { canOpen, findDueStep, findShownStep, parseWizardSearch, wizardSteps } from './wizard.ts'

const pending: OrgEntra = {
  tenantId: '7d3c9b1e-4f52-4a86-9c0d-1e2f3a4b5c6d',
  cloud: 'AzurePublic',
  displayName: 'Contoso',
  defaultDomain: 'contoso.com',
  consent: 'pending',
  consentedAt: null,
  consentLinkExpiresAt: null,
  consentFailure: null,
  rejectedDomains: [],
  signInEnabled: false,
  testedAt: null,
  allowGuests: false,
  mappings: [],
}
const granted: OrgEntra = { ...pending, consent: 'granted', consentedAt: '2026-11-23T10:00:00.000Z' }

describe('the due step', () => {
  test.for([
    ['consent', pending],
    ['consent', { ...pending, consent: 'none' }],
    ['consent', { ...granted, consent: 'revoked', signInEnabled: true }],
    ['groups', granted],
    ['review', { ...granted, mappings: [{ appRole: 'Crew', role: 'Event.Host' }] }],
    ['review', { ...granted, testedAt: '2026-11-23T10:00:00.000Z' }],
    ['review', { ...granted, signInEnabled: true }],
  ] as const)('is %s', ([step, entra]) => {
    expect(findDueStep(entra as OrgEntra)).toBe(step)
  })
})

test('the step of the URL is shown only if it can be opened', () => {
  expect(wizardSteps.map((step) => findShownStep(step, pending))).toEqual(['tenant', 'consent', 'consent', 'consent'])
  expect(wizardSteps.map((step) => findShownStep(step, granted))).toEqual([...wizardSteps])
  expect(findShownStep(undefined, granted)).toBe('groups')
  expect(canOpen('review', pending)).toBe(false)
})

test('the search of the wizard ignores unknown steps, repeated and empty values', () => {
  expect(parseWizardSearch({ step: 'review', org: 'o1', q: 'contoso.com', tenant: '', other: 'x' })).toEqual({
    step: 'review',
    org: 'o1',
    q: 'contoso.com',
  })
  expect(parseWizardSearch({ step: 'finish', org: ['a', 'b'], cloud: 'AzurePublic' })).toEqual({ cloud: 'AzurePublic' })
})
