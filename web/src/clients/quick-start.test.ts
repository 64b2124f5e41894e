import { describe, expect, test } from 'vitest'
import { quickStartLanguages, writeSignIn, writeTokenRequest } from './quick-start.ts'

const client = {
  issuer: 'https://id.example',
  clientId: 'box-office',
  redirectUri: 'https://box.example/auth/done',
  isConfidential: true,
  scopes: ['permissions.read'],
}

describe.for(quickStartLanguages)('the quick start in %s', (language) => {
  test('is filled in with the application, and reads the secret from the environment', () => {
    const code = writeSignIn(language, client)
    for (const value of ['https://id.example', 'box-office', '/auth/done', 'PASSPORT_CLIENT_SECRET'])
      expect(code).toContain(value)
  })

  test('permits plain http only for a server on localhost', () => {
    const insecure = /allowInsecureRequests|RequireHttpsMetadata = false/
    expect(writeSignIn(language, client)).not.toMatch(insecure)
    const code = writeSignIn(language, { ...client, issuer: 'http://localhost:3000' })
    // The other libraries accept it.
    if (language === 'Node.js' || language === 'C#') expect(code).toMatch(insecure)
  })

  test('has no secret for a public application', () => {
    expect(writeSignIn(language, { ...client, isConfidential: false })).not.toContain('PASSPORT_CLIENT_SECRET')
  })
})

test('an application without users gets a token by a call with its scopes', () => {
  expect(writeTokenRequest(client)).toContain("scope='permissions.read'")
})
