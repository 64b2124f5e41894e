import type { Client } from '@passport/contract/clients'
import { expect, test } from 'vitest'
import { splitLines, toBody, toValues } from './client-form.ts'

const client: Client = {
  clientId: 'shop',
  clientName: 'Shop',
  source: 'console',
  confidential: true,
  redirectUris: ['https://shop.example/callback', 'https://shop.example/other'],
  postLogoutRedirectUris: ['https://shop.example/'],
  backchannelLogoutUri: 'https://shop.example/logout',
  consent: 'always',
  deviceFlow: 'pin',
  scopes: ['permissions.read'],
  apis: [{ name: 'billing', scopes: ['billing.read'] }],
  idTokenSigningAlg: 'RS256',
  pkce: 'optional',
  enabled: false,
  secrets: [],
  lastUsedAt: null,
  createdAt: '2026-11-23T10:00:00.000Z',
  updatedAt: '2026-11-23T10:00:00.000Z',
  version: 3,
}

test.for(['pin', true, false] as const)(
  'the form keeps every field of an application with deviceFlow %s, also one that it does not know',
  (deviceFlow) => {
    const shown = { ...client, deviceFlow, newer: 'kept' }
    expect(toBody(toValues(shown), shown)).toEqual(shown)
  },
)

test('an empty URL is none', () => {
  const values = toValues({ ...client, backchannelLogoutUri: null })
  expect(values.backchannelLogoutUri).toBe('')
  expect(toBody(values, client).backchannelLogoutUri).toBeNull()
})

test('splits a text into lines, without blanks and empty lines', () => {
  expect(splitLines(' https://a.example \r\n\n https://b.example')).toEqual(['https://a.example', 'https://b.example'])
})
